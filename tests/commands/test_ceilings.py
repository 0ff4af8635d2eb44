"""What whole runs cost: never more than was quoted, and together never more than is allowed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pr_review import app
from pr_review.adapters.tokens import token_counter
from pr_review.domain.pull_request import Repository
from pr_review.review.marker import derive_key, read
from tests.commands.pushes import FIRST, NUMBER, SECOND, Story
from tests.standins.github import Recorded
from tests.standins.models import Reply, Request, answer, completion, rate_limited
from tests.standins.runner import PLANTED_KEY, Ended

pytestmark = pytest.mark.usefixtures("one_process")

CEILING = "max-cost-usd-per-pull-request"
UNREADABLE = "nothing that could be read as a finding"


@dataclass
class Biller:
    """A server of a family that takes 1.4 tokens for each of o200k, and bills every request that
    reaches it at all that the answer was allowed; `plays` are its answers, in turn."""

    plays: Sequence[Reply]
    bills: list[tuple[int, int]] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        texts = [f"{message['role']}: {message['content']}\n\n" for message in request.messages]
        texts.append(json.dumps(request.json.get("response_format", "")))
        counted = token_counter().count("".join(texts))
        cap = request.json.get("max_completion_tokens") or request.json["max_tokens"]
        play = self.plays[len(self.bills)]
        self.bills.append((int(1.4 * counted), cap))
        if play.status != 200:
            return play
        body = json.loads(json.dumps(play.body))
        prompt_tokens, completion_tokens = self.bills[-1]
        body["usage"] = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        }
        return Reply(body)

    @property
    def usd(self) -> float:
        """At the prices of the run's inputs."""
        return sum(tokens_in * 1e-6 + tokens_out * 10e-6 for tokens_in, tokens_out in self.bills)


def spent(story: Story) -> list[float | None]:
    """What our reviews say was spent, one after the other."""
    name, key = Repository(*story.github.repository.split("/")), derive_key(PLANTED_KEY)
    markers = (read(review.body, name, NUMBER, key) for review in story.reviews)
    return [marker.spent_usd for marker in markers if marker]


def asked(story: Story) -> int:
    return len(story.model.requests)


def refused(ended: Ended) -> str:
    """Why; the run must have asked no model."""
    assert (ended.code, ended.outputs["status"]) == (0, "refused"), ended.log
    assert ended.log.count("quote: ") == 1
    return str(ended.report["reason"])


# --- the bill and the quote ----------------------------------------------------------------


def test_the_bill_of_a_family_with_longer_tokens_stays_within_the_quote(fresh: Story) -> None:
    again = rate_limited("0")
    unreadable = completion(UNREADABLE)
    ruled = completion(json.dumps({"verdicts": [{"id": "F1", "verdict": "holds"}]}))
    found = answer([FIRST.finding])
    server = Biller([again, again, unreadable, again, again, found, again, again, ruled])
    ended = fresh.review("opened", server)
    assert ended.outputs["status"] == "reviewed", ended.log
    quoted = ended.report["quote"]
    assert asked(fresh) == len(server.bills) == quoted["calls"] == 9
    assert sum(tokens for tokens, _ in server.bills) <= quoted["input_tokens"]
    assert sum(tokens for _, tokens in server.bills) == quoted["output_tokens"]
    bugs, verify = quoted["agents"]
    assert sum(tokens for tokens, _ in server.bills[6:]) <= verify["input_tokens"]
    assert (bugs["calls"], verify["calls"], ended.report["verify"]["calls"]) == (6, 3, 3)
    assert server.usd <= quoted["usd"]
    assert quoted["factor"] == 1.4
    assert ended.report["cost_usd"] == pytest.approx(sum(
        server.bills[n][0] * 1e-6 + server.bills[n][1] * 10e-6 for n in (2, 5, 8)
    ))  # fmt: skip
    assert not any("bug" in warning for warning in ended.report["warnings"])
    words = quoted["words"]
    assert f"quote: {words}" in ended.log
    for text in (ended.summary, fresh.reviews[0].body):
        assert words.replace("$", "&#36;") in text
        assert f"at most ${quoted['usd']:.4f} was quoted" in text


def test_a_bill_over_the_quote_is_told_as_a_bug(fresh: Story) -> None:
    ended = fresh.review("opened", answer(usage=(900_000, 20)))
    [warning] = [text for text in ended.report["warnings"] if "quoted" in text]
    assert "this is a bug of pr-review" in warning
    assert "this is a bug of pr-review" in fresh.reviews[0].body


def test_the_quote_of_a_snapshot_bounds_that_of_the_run(
    fresh: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = fresh.review("opened").report["quote"]
    pull = fresh.github.api.pulls[NUMBER]
    flags = ["--repo", str(fresh.github.bare), "--base", pull.base_sha, "--head", pull.head_sha]
    flags += ["--quote", "--model", "openai/stand-in", "--agents", "bugs"]
    flags += ["--input-cost-per-mtok", "1", "--output-cost-per-mtok", "10"]
    assert app.main(["snapshot", *flags], {}) == 0
    first, *rest = capsys.readouterr().out.split("\n")
    out = tmp_path / "snapshot.json"
    assert app.main(["snapshot", *flags, "--format", "json", "--out", str(out)], {}) == 0
    offered = json.loads(out.read_text("utf-8"))
    assert first == f"quote: {offered['quote']['words']}"
    assert rest[0].startswith("agent bugs: at most $")
    assert rest[1].startswith("verify: at most $")
    assert rest[-2:] == ["admitted", ""]
    for name in ("calls", "output_tokens", "factor", "output_cap", "deadline"):
        assert offered["quote"][name] == told[name]
    assert told["input_tokens"] < offered["quote"]["input_tokens"]
    assert told["usd"] < offered["quote"]["usd"]


def test_a_ceiling_without_room_for_repeats_and_repairs_gets_a_run_without_them(
    fresh: Story,
) -> None:
    """A request for the one agent is $0.0862 at most, its repair as much again and a little, and
    verification $0.1043."""
    inputs = fresh.runner.inputs
    inputs["max-cost-usd"] = "0.2"
    server = Biller([completion(UNREADABLE)])
    ended = fresh.review("opened", server)
    assert (ended.code, asked(fresh)) == (6, 1), ended.log
    assert "up to 2 requests to openai/stand-in (repeats: 0, repairs: 0, verify: 1)" in ended.log
    assert server.usd <= ended.report["quote"]["usd"] <= 0.2
    ended = fresh.review("opened", Biller([rate_limited("0")]))
    assert (ended.code, asked(fresh)) == (6, 1), ended.log
    inputs["max-cost-usd"] = "0.3"
    server = Biller([completion(UNREADABLE), rate_limited("0")])
    ended = fresh.review("opened", server)
    assert (ended.code, asked(fresh)) == (6, 2), ended.log
    assert server.usd <= ended.report["quote"]["usd"] <= 0.3
    inputs["max-cost-usd"] = "0.1"
    reason = refused(fresh.review("opened"))
    assert reason.endswith("the number of agents, or set verify to off")
    inputs["verify"] = "off"
    assert fresh.review("opened", Biller([answer()])).outputs["status"] == "reviewed"
    inputs["max-cost-usd"] = "0.08"
    reason = refused(fresh.review("opened"))
    assert reason.startswith("the run may cost $0.08")
    assert " even without repeats and repairs and max-cost-usd is $0.0800: raise it" in reason
    assert "verify" not in reason


# --- one ceiling over all runs -------------------------------------------------------------


def test_runs_are_added_up_and_the_one_that_would_be_over_is_refused(fresh: Story) -> None:
    story, inputs = fresh, fresh.runner.inputs
    first = story.review("opened", answer(usage=(10_000, 1_000))).report
    assert spent(story) == [pytest.approx(first["cost_usd"])] == [pytest.approx(0.02)]
    ceiling = first["quote"]["once_usd"] + 0.03
    inputs[CEILING] = f"{ceiling:.6f}"
    again = story.review("opened", answer(usage=(10_000, 1_000)))
    assert again.outputs["status"] == "reviewed", again.log
    assert spent(story) == [pytest.approx(0.04)], "the same head: one review, both accounts"
    before = story.reviews[0].body

    reason = refused(story.review("opened"))
    assert "cost $0.0400, this one may cost $" in reason
    assert " even without repeats and repairs, and max-cost-usd-per-pull-request is $" in reason
    assert f"{CEILING} is ${ceiling:.4f}" in reason
    assert asked(story) == 0
    assert [review.body for review in story.reviews] == [before], "a refusal says less"

    story.push(SECOND.file)
    assert "cost $0.0400" in refused(story.review())
    assert asked(story) == 0
    assert spent(story) == [pytest.approx(0.04), 0.0]
    assert story.reviews[-1].body.startswith("**Refused**: earlier runs on this pull request cost")
    inputs[CEILING] = "9"
    assert story.review().outputs["status"] == "reviewed"
    assert story.shown(SECOND)


def test_what_failed_runs_cost_is_counted(fresh: Story) -> None:
    story, inputs = fresh, fresh.runner.inputs
    inputs[CEILING] = "9"
    ended = story.review("opened", completion(UNREADABLE, usage=(5_000, 500)))
    assert (ended.code, ended.outputs["status"]) == (6, "failed"), ended.log
    [review] = story.reviews
    assert review.body.startswith("**Failed**: all agents failed. This is not a review.")
    assert "No findings" not in review.body
    assert spent(story) == [pytest.approx(2 * 0.01)], "the call and its repair"
    story.push(SECOND.file)
    assert story.review(script=completion(UNREADABLE, usage=(5_000, 500))).code == 6
    assert spent(story) == [pytest.approx(4 * 0.01)], "on the review that stands"
    story.review(script=answer(usage=(10_000, 1_000)))
    assert spent(story) == [pytest.approx(0.04), pytest.approx(0.02)]


def test_what_a_run_cost_that_a_push_overtook_is_counted(fresh: Story) -> None:
    story = fresh
    story.runner.inputs[CEILING] = "9"
    story.review("opened", answer(usage=(10_000, 1_000)))

    def overtaken(request: Request) -> Reply:
        story.push({"shop/third.py": b"THIRD = call()\n"})
        return answer(usage=(10_000, 1_000))

    story.push(SECOND.file)
    ended = story.review(script=overtaken)
    assert "head moved" in ended.report["reason"]
    assert spent(story) == [pytest.approx(0.04)]


class Watched(list[Recorded]):
    """The calls that GitHub had; somebody pushes when the merge base is asked for."""

    def __init__(self, push: Callable[[], object]) -> None:
        super().__init__()
        self._push = push

    def append(self, call: Recorded) -> None:
        super().append(call)
        if "/compare/" in call.path:
            self._push()


def test_a_head_that_moved_before_a_model_is_paid_costs_nothing(fresh: Story) -> None:
    fresh.github.requests = Watched(lambda: fresh.push(SECOND.file))
    ended = fresh.review("opened")
    assert (ended.code, ended.outputs["status"]) == (0, "skipped"), ended.log
    assert "head moved from" in ended.summary
    assert asked(fresh) == 0
    assert fresh.reviews == []


def test_without_a_ceiling_a_failed_run_posts_nothing(fresh: Story) -> None:
    assert fresh.review("opened", completion(UNREADABLE)).code == 6
    assert fresh.reviews == []


def test_without_a_key_that_lasts_the_ceiling_cannot_be_kept(fresh: Story) -> None:
    fresh.runner.inputs[CEILING] = "9"
    del fresh.runner.inputs["api-key"]
    reason = refused(fresh.review("opened"))
    assert f"{CEILING} is set and cannot be kept" in reason
    assert "give the provider's key as api-key" in reason
    assert asked(fresh) == 0
    assert len(fresh.reviews) == 1


def test_what_an_unpriced_run_cost_is_not_taken_for_nothing(fresh: Story) -> None:
    inputs = fresh.runner.inputs
    prices = {name: inputs.pop(name) for name in list(inputs) if name.endswith("-cost-per-mtok")}
    ended = fresh.review("opened", answer())
    assert (ended.outputs["cost-usd"], spent(fresh)) == ("", [None])
    assert "price unknown" in ended.log
    inputs.update({**prices, CEILING: "9"})
    fresh.push(SECOND.file)
    assert "an earlier review does not know what it cost" in refused(fresh.review())
    assert asked(fresh) == 0


def test_a_price_that_is_unknown_is_refused_under_a_ceiling(fresh: Story) -> None:
    for name in ("input-cost-per-mtok", "output-cost-per-mtok"):
        del fresh.runner.inputs[name]
    fresh.runner.inputs[CEILING] = "9"
    assert "the price of openai/stand-in is unknown" in refused(fresh.review("opened"))
    assert asked(fresh) == 0
