"""Hostile pull requests, and a model that obeys them: nothing leaves but a review without life."""

from __future__ import annotations

import hashlib
import json
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from pr_review.domain.text import visible
from tests.commands.injections import CODE, HOSTILE, LEAK, PLANTED, Hostile
from tests.demo_sample import credential
from tests.standins.github import GitHubServer, Recorded, StoredReview
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.kept_process import kept_process
from tests.standins.models import ModelServer, Reply, Request, answer, completion, failure
from tests.standins.runner import Ended, Runner, model_inputs

UNUSED = "Nothing calls what this file defines"
AGENTS = ("bugs", "security", "readability")
HARMLESS = Hostile("harmless")
HARMLESS_PLANTED = Hostile("harmless", files={"app.py": f"{PLANTED}\n{CODE}"})

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
OUR_HTML = re.compile(
    r"(?:<br>|</?sub>|</details>|<details>\n<summary>[\w ,:]+</summary>|"
    r"<!-- pr-review:(?:v3 repository=acme/widgets number=\d+ head=[0-9a-f]{40} [^<>]*"
    r" signature=[0-9a-f]{64}|finding=[0-9a-f.]+) -->)\n?"
)
OUR_LINK = re.compile(
    r"http://127\.0\.0\.1:\d+/acme/widgets/blob/[0-9a-f]{40}/[\w./%~-]+(?:\?plain=1#L\d+(?:-L\d+)?)?"
)
LIVE = re.compile(
    r"(?<![A-Za-z0-9])@\w|#\d|(?<![A-Za-z0-9])GH-\d|://|(?<![A-Za-z0-9])www\.|pr-review:\w",
    re.IGNORECASE,
)
DRAWN = {"mermaid", "math", "geojson", "topojson", "stl"}
# how the runner finds a command: at the start of a line, or in the older form anywhere
COMMAND = re.compile(r"^\s*::([\w-]+)|##\[([\w-]+)")
WRITES = (
    ("POST", r"/graphql"),
    ("POST", r"/acme/widgets\.git/git-upload-pack"),
    ("POST", r"/repos/acme/widgets/pulls/\d+/reviews"),
    ("POST", r"/repos/acme/widgets/pulls/\d+/reviews/\d+/events"),
    ("DELETE", r"/repos/acme/widgets/pulls/\d+/reviews/\d+"),
)


@dataclass(frozen=True)
class Seen:
    """One run: how it ended, what it posted, what the model was sent, what GitHub was asked."""

    ended: Ended
    review: StoredReview
    prompts: dict[str, tuple[str, str]]  # agent's title: system and user text of its first call
    calls: list[Recorded]


@dataclass
class World:
    """A repository with a branch for each pull request, and a place where leaks would show."""

    github: GitHubServer
    model: ModelServer
    leaks: socket.socket
    root: Path
    number: int = 0

    def review(self, hostile: Hostile, branch: str) -> Seen:
        self.number += 1
        leak = f"http://127.0.0.1:{self.leaks.getsockname()[1]}/leak"
        wants = hostile.wants.replace(LEAK, leak)
        self.github.open_pull(
            self.number,
            head=branch,
            title=hostile.title.replace(LEAK, leak),
            body=hostile.body.replace(LEAK, leak),
        )
        inputs = {
            **model_inputs(self.model.url),
            "agents": ",".join(AGENTS),
            "checks": "none",
            "review": "full",
        }
        self.model.play(lambda request: obey(request, wants, hostile))
        before = len(self.github.requests)
        job = Runner(self.root / str(self.number), self.github, inputs)
        ended = job.run(self.github.event(self.number))
        assert ended.code == 0, ended.log
        [review] = self.github.reviews(self.number)
        return Seen(ended, review, prompts(self.model.requests), self.github.requests[before:])

    def leaked(self) -> bool:
        try:
            self.leaks.accept()
        except BlockingIOError:
            return False
        return True


def obey(request: Request, wants: str, hostile: Hostile) -> Reply:
    """Writes what the pull request wants wherever a model can write; each agent in its own way."""
    match agent_of(request):
        case "Security":
            return failure(400, wants)
        case "Readability":
            return completion(wants)
        case "Verify":
            return completion(json.dumps({"verdicts": _verdicts(request, wants)}))
        case _:
            return answer(_findings(wants, hostile))


def _findings(wants: str, hostile: Hostile) -> list[dict[str, Any]]:
    code = next(iter(hostile.files.values())).split("\n")[0]
    said = {"severity": "critical", "category": wants, "title": wants, "body": wants}
    here = {"path": path(hostile), "start_line": 1, "end_line": 1, "quote": code}
    return [
        {**said, **here, "suggestion": wants},
        {**said, "path": path(hostile), "title": f"In general: {wants}"},
        {**said, **here, "quote": wants, "body": f"Elsewhere: {wants}"},
        {**said, "path": wants, "start_line": wants, "quote": wants},
        {"severity": "high", "path": path(hostile), "title": UNUSED, "body": "It can go."},
    ]


def _verdicts(request: Request, wants: str) -> list[dict[str, str]]:
    """The finding that nothing is used is refuted, and so is what was never asked about."""
    told, _, _ = str(request.messages[-1]["content"]).partition(f"\n{UNUSED}\n")
    [*_, name] = re.findall(r"^## (F\d+)$", told, re.MULTILINE)
    return [{"id": one, "verdict": "refuted", "reason": wants} for one in (name, wants, "F99")]


def path(hostile: Hostile) -> str:
    name = next(iter(hostile.files))
    return str(json.loads(name)) if name.startswith('"') else name


def agent_of(request: Request) -> str:
    user = unquoted(str(request.messages[-1]["content"]))
    if user.startswith("# Code\n"):
        return "Verify"
    return user.partition("\n# Your task: ")[2].split("\n")[0]


def prompts(requests: list[Request]) -> dict[str, tuple[str, str]]:
    sent: dict[str, tuple[str, str]] = {}
    for request in requests:
        texts = [str(message["content"]) for message in request.messages]
        if len(texts) == 2:  # one message: again, for an error that spoke of the system's role
            sent.setdefault(agent_of(request), (texts[0], texts[1]))
    return sent


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("hostile")
    pulls = {**HOSTILE, "harmless": HARMLESS, "harmless planted": HARMLESS_PLANTED}
    commits = [
        NewCommit(branch(name), pull.message, _written(pull), start="main")
        for name, pull in pulls.items()
    ]
    bare = bare_repository(
        folder / "widgets.git", [NewCommit("main", "Begin", {"app.py": b"x = 1\n"}), *commits]
    )
    with (
        kept_process(),
        GitHubServer(bare) as github,
        ModelServer() as model,
        socket.create_server(("127.0.0.1", 0)) as leaks,
    ):
        leaks.setblocking(False)
        yield World(github, model, leaks, folder)


@pytest.fixture(scope="module")
def harmless(world: World) -> Seen:
    return world.review(HARMLESS, branch("harmless"))


@pytest.fixture(scope="module")
def harmless_planted(world: World) -> Seen:
    return world.review(HARMLESS_PLANTED, branch("harmless planted"))


def branch(name: str) -> str:
    return re.sub(r"\W+", "-", name)


def _written(hostile: Hostile) -> dict[str, bytes]:
    return {name: code.encode() for name, code in hostile.files.items()}


def test_there_are_enough_of_them() -> None:
    assert len(HOSTILE) >= 30
    assert len({pull.wants for pull in HOSTILE.values()}) == len(HOSTILE)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_pull_request_gets_a_review_without_life(
    name: str, world: World, harmless: Seen, harmless_planted: Seen
) -> None:
    seen = world.review(HOSTILE[name], branch(name))
    like = harmless_planted if HOSTILE[name].planted else harmless
    same_instructions(seen, like)
    nothing_but_a_review(seen)
    assert not world.leaked()
    last = seen.review.body.rstrip().rpartition("\n")[2]
    assert re.fullmatch(OUR_HTML, last)
    without_life(seen.review.body)
    for comment in seen.review.comments:
        without_life(comment["body"])
    without_life(below_our_heading(seen))
    no_commands(seen.ended, like.ended)
    it_was_obeyed(seen)
    if HOSTILE[name].planted:
        assert not any("```suggestion" in comment["body"] for comment in seen.review.comments)


def same_instructions(seen: Seen, like: Seen) -> None:
    """What is not quoted material is the same, byte for byte, but for counts and the path."""
    assert set(seen.prompts) == set(like.prompts) == {"Bugs", "Security", "Readability", "Verify"}
    for agent, (system, user) in seen.prompts.items():
        expected_system, expected_user = like.prompts[agent]
        assert system == expected_system
        frame, expected = unquoted(user), unquoted(expected_user)
        assert frame == expected
        assert frame.endswith("Answer with the JSON object alone.")
        assert ("<<<code>>>" if agent == "Verify" else "<<<diff>>>") in frame


def unquoted(text: str) -> str:
    """A prompt without what stands inside fences that hold, and with its numbers left out."""

    def emptied(match: re.Match[str]) -> str:
        kind, mark, body = match[1], match[2], match[3].removesuffix("\n")
        holds = hashlib.sha256(body.encode()).hexdigest().startswith(mark)
        return f"<<<{kind}>>>" if holds else match[0]

    kept = re.sub(r"<<<([a-z]+) ([0-9a-f]{16})\n(.*?)\2 \1>>>", emptied, text, flags=re.DOTALL)
    kept = re.sub(r"(## F\d+\n<<<finding>>>\n+)+One verdict for each of [F\d, ]+", "FOUND", kept)
    return re.sub(r"\d+ of \d+ changed lines, in \d+ files", "COUNTS", kept)


def nothing_but_a_review(seen: Seen) -> None:
    for call in seen.calls:
        if call.method != "GET":
            assert any(call.method == m and re.fullmatch(p, call.path) for m, p in WRITES), call
        if call.path == "/graphql":
            assert "mutation" not in call.json["query"]
    assert seen.review.state == "COMMENTED"


def below_our_heading(seen: Seen) -> str:
    """The job summary without its heading and the link to the review."""
    url = seen.ended.outputs["review-url"]
    number = re.search(r"/pull/(\d+)#", url)
    assert number
    heading = f"## pr-review of acme/widgets#{number[1]}\n\n[The review on the pull request]({url})"
    assert seen.ended.summary.startswith(heading)
    return seen.ended.summary.removeprefix(heading)


def without_life(markdown: str) -> None:
    """Nothing in it is live on GitHub but what we wrote ourselves."""
    tokens = MARKDOWN.parse(markdown)
    inner = [child for token in tokens for child in token.children or ()]
    assert not {"image", "heading_open"} & {token.type for token in [*tokens, *inner]}
    for token in [*tokens, *inner]:
        if token.type == "link_open":
            assert OUR_LINK.fullmatch(str(token.attrs["href"])), token.attrs
        if token.type in ("html_block", "html_inline"):
            assert re.fullmatch(f"(?:{OUR_HTML.pattern})+", token.content), token.content
    fences = [token for token in tokens if token.type == "fence"]
    assert not {token.info.split(" ")[0].lower() for token in fences} & DRAWN
    for token in inner:
        if token.type == "text":
            assert not LIVE.search(token.content), token.content
    assert visible(markdown) == markdown
    assert credential() not in markdown


def no_commands(ended: Ended, like: Ended) -> None:
    """Log and outputs tell the runner what those of a harmless run tell it."""
    assert commands(ended.log) == commands(like.log)
    assert set(ended.outputs) == set(like.outputs)
    assert ended.outputs["status"] == "reviewed"
    assert not any("\n" in value for value in ended.outputs.values())


def commands(log: str) -> list[str]:
    """The commands in a log, whose lines a carriage return ends, too."""
    lines = re.split(r"[\r\n]", log)
    return [f"{match[1] or match[2]}" for line in lines if (match := COMMAND.search(line))]


def it_was_obeyed(seen: Seen) -> None:
    """The hostile text reached the review: else nothing of the above was tried."""
    assert "critical" in seen.review.body
    assert seen.review.comments
    assert seen.ended.report["verify"]["refuted"] == 1
    assert "security" in seen.ended.outputs["agents-failed"]
    assert seen.review.body.count("The agent `security` failed: openai/stand-in") == 1
