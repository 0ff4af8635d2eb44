"""The README's walk, from an empty repository to a review: every sentence has a check.

`SENTENCES`, `COMMANDS` and `TROUBLES` hold the words of the README beside what shows them, and
`OF_GITHUB` those that GitHub alone could show; a sentence, a command or a row that is in none of
them fails, and so does one that is gone.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from pr_review.commands.parsers import LOCAL_FLAGS
from pr_review.settings import NAMES
from tests.commands.newcomer import (
    DIVIDED,
    KEPT_AT,
    KEY,
    MEAN,
    MODEL,
    OPEN,
    SETTINGS_FILE,
    WALK,
    WORKFLOW_FILE,
    Newcomer,
    Seen,
    begun,
    commands,
    printed,
    prompt,
)
from tests.contract import documents
from tests.standins.github import GitHubServer

Typed = subprocess.CompletedProcess[str]

_LEFT = '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic abc\n'
_SECOND = "def total(amounts):\n    return sum(amounts)\n"
_MUCH = "".join(f"def shelf_{n}(goods):\n    return goods[{n}] * {n} + 1\n\n\n" for n in range(120))
_PULL, _TROUBLE = 2, 3


@dataclass(frozen=True)
class Walk:
    """What the newcomer saw, step by step, and what stood on GitHub then."""

    first: Seen
    unheard: Seen | None
    opened: Seen
    pushed: Seen
    stranger: Seen
    full: Seen
    gated: Seen
    typed: dict[str, Typed]
    keyless: Seen
    alone: Seen
    draft: Seen
    mute: Seen
    refused: Seen
    other: Seen
    newcomer: Newcomer

    @property
    def github(self) -> GitHubServer:
        return self.newcomer.github


def _happened(seen: Seen | None) -> Seen:
    assert seen is not None, "no job was started"
    return seen


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory, one_process: None) -> Iterator[Walk]:
    """Steps 1 to 7, as written."""
    with begun(tmp_path_factory.mktemp("newcomer")) as who:
        who.secrets["ANTHROPIC_API_KEY"] = KEY
        who.github.permit("octocat", "write")
        file = printed(WORKFLOW_FILE).replace("OWNER/pr-review@COMMIT", KEPT_AT)
        who.commit("set-up", {WORKFLOW_FILE: file}, start="main")
        who.github.open_pull(1, head="set-up")
        first = _happened(who.comes(1))
        unheard = who.asks(1, "/review")
        who.git("push", "-q", "origin", "set-up:main")

        who.commit("mean", {"shop/mean.py": MEAN}, start="set-up")
        who.github.open_pull(_PULL, head="mean")
        opened = _happened(who.comes(_PULL))
        changed = {"shop/total.py": _SECOND, "docs/mean.md": "The mean of amounts.\n"}
        changed |= {"tests/fixtures/rates.json": '{"EUR": 1}\n'}
        who.commit("mean", changed)
        who.github.push(_PULL, "mean")
        pushed = _happened(who.comes(_PULL, "synchronize"))
        stranger = _happened(who.asks(_PULL, "/review", author="stranger"))
        full = _happened(who.asks(_PULL, "/review full"))
        _ignore(who)
        rules = {SETTINGS_FILE: printed(SETTINGS_FILE)}
        who.commit("rules", rules, start="origin/main")
        who.git("push", "-q", "origin", "rules:main")
        who.git("switch", "-q", "mean")
        who.git("merge", "-q", "rules")
        who.commit("mean", {SETTINGS_FILE: "fail-on: never\n"})
        who.github.push(_PULL, "mean")
        gated = _happened(who.comes(_PULL, "synchronize"))

        who.git("fetch", "-q")
        (who.clone / "later.py").write_text("breakpoint()\n", encoding="utf-8")
        before = len(who.github.requests)
        typed = {line: who.types(line) for line in commands() if line.startswith("pr-review ")}
        assert len(who.github.requests) == before, "nothing was asked of GitHub"
        (who.clone / "later.py").unlink()
        yield Walk(
            first, unheard, opened, pushed, stranger, full, gated, typed, *_troubles(who, file), who
        )


def _ignore(who: Newcomer) -> None:
    """Answers the comment of the finding about the notes."""
    reviews = who.github.reviews(_PULL)
    [comment] = [c for r in reviews for c in r.comments if OPEN["title"] in c["body"]]
    who.github.answer_comment(_PULL, comment, "/review ignore", "octocat", "MEMBER")


def _troubles(who: Newcomer, file: str) -> tuple[Seen, Seen, Seen, Seen, Seen, Seen]:
    """What goes otherwise, each with one line of the workflow that is not as it should be."""
    who.commit("much", {"shop/shelves.py": _MUCH}, start="origin/main")
    key = "          api-key: ${{ secrets.ANTHROPIC_API_KEY }}\n"
    assert key in file

    def run(change: str, to: str, *, draft: bool = False, checkout: str = "") -> Seen:
        assert change in file
        who.github.open_pull(_TROUBLE, head="much", draft=draft)
        return _happened(who.comes(_TROUBLE, file=file.replace(change, to), checkout=checkout))

    keyless = run("ANTHROPIC_API_KEY", "ANTHROPIC_KEY")
    alone = run(f"{MODEL}\n{key}", "none\n", checkout=_LEFT)
    draft = run("", "", draft=True)
    mute = run("  pull-requests: write\n", "  pull-requests: read\n")
    refused = run(key, f"{key}          max-cost-usd: 0.5\n")
    who.secrets["OUR_KEY"] = "sk-planted4others"
    small = "          diff-token-budget: 1500\n          max-cost-usd: 9\n"
    other = f"openai/gpt-5-mini\n{key.replace('ANTHROPIC_API_KEY', 'OUR_KEY')}{small}"
    return keyless, alone, draft, mute, refused, run(f"{MODEL}\n{key}", other)


# --- what the walk says, sentence by sentence ----------------------------------------------------


def _seven(walk: Walk) -> None:
    assert re.findall(r"^### (\d)\. ", WALK, re.MULTILINE) == [str(n) for n in range(1, 8)]
    assert walk.opened.ended.outputs["status"] == "reviewed"


def _wants_a_key(walk: Walk) -> None:
    assert walk.keyless.ended.code == 2
    assert f"{MODEL} needs a credential and none was found" in walk.keyless.ended.log
    assert not walk.keyless.requests


def _by_that_name(walk: Walk) -> None:
    assert {request.headers["x-api-key"] for request in walk.opened.requests} == {KEY}
    assert {request.json["model"] for request in walk.opened.requests} == {MODEL.split("/")[1]}


def _others_go_the_same_way(walk: Walk) -> None:
    keys = {request.headers["authorization"] for request in walk.other.requests}
    assert keys == {"Bearer sk-planted4others"}
    assert walk.other.ended.outputs["status"] == "reviewed"


def _checks_alone(walk: Walk) -> None:
    assert walk.alone.first_line.startswith("**No findings by the checks**; no model was asked")
    assert (walk.alone.ended.code, walk.alone.requests) == (0, [])


def _on_a_branch(walk: Walk) -> None:
    api = walk.github.api.repository
    base = walk.github.api.pulls[1].base_sha
    assert api.blob(base, WORKFLOW_FILE) is None


def _pinned(walk: Walk) -> None:
    assert re.fullmatch(r"[\w-]+/pr-review@[0-9a-f]{40}", walk.first.started.uses)
    assert walk.first.ended.outputs["findings"] == "0", "our own checks accept it"


def _no_checkout(walk: Walk) -> None:
    assert "actions/checkout" not in printed(WORKFLOW_FILE)
    assert [*(walk.newcomer.folder / "job2/workspace").iterdir()] == []
    assert walk.opened.ended.outputs["coverage"] == "full"


def _reviewed_already(walk: Walk) -> None:
    assert walk.first.first_line == "**No findings.**"
    assert walk.github.calls("POST", "/pulls/1/reviews")


def _heard_on_the_default_branch(walk: Walk) -> None:
    assert walk.unheard is None
    assert walk.full.ended.outputs["status"] == "reviewed"


def _left_token(walk: Walk) -> None:
    assert "- Warning: the checkout's .git/config holds a token" in walk.alone.body
    assert ".git/config" not in walk.opened.body


def _image(walk: Walk) -> None:
    """That it takes a minute is shown where an image can be built: tests/image."""
    assert documents.action()["runs"] == {"using": "docker", "image": "Dockerfile"}
    assert walk.opened.started.uses == KEPT_AT


def _one_review(walk: Walk) -> None:
    [review] = walk.opened.reviews
    assert review.user is not None
    assert (review.user.login, review.state) == ("github-actions[bot]", "COMMENTED")


def _verdict(walk: Walk) -> None:
    [words] = re.findall(r"verdict, for instance `([^`]+)`", WALK)
    assert walk.opened.first_line == f"**{words}**"


def _comments(walk: Walk) -> None:
    comments = walk.opened.reviews[0].comments
    told = {(c["path"], c["line"]): c["body"] for c in comments}
    assert told.keys() == {("shop/mean.py", 2), ("shop/mean.py", 6)}
    text = told["shop/mean.py", 2]
    assert text.startswith(f"**High**: {DIVIDED['title']}\n\n{DIVIDED['body']}\n")
    assert f"```suggestion\n{DIVIDED['suggestion']}\n```" in text
    assert "suggestion" not in told["shop/mean.py", 6]


def _table(walk: Walk) -> None:
    rows = re.findall(r"^\| (High|Medium) \| (.+?)<br>", walk.opened.body, re.MULTILINE)
    assert rows == [("High", DIVIDED["title"]), ("Medium", OPEN["title"])]


def _details(walk: Walk) -> None:
    details = walk.opened.body.partition("<summary>Run details</summary>")[2]
    told = r"^\| (\w+)<br>\d found \| [\d,]+&nbsp;in<br>[\d,]+&nbsp;out \| \$[\d.]+<br>of&nbsp;\$"
    agents = ["bugs", "security", "performance", "architecture", "readability"]
    assert re.findall(told, details, re.MULTILINE) == agents
    pull = walk.github.api.pulls[_PULL]
    assert f"`{pull.base_sha[:12]}...{walk.opened.reviews[0].commit_id[:12]}`" in details


def _summary(walk: Walk) -> None:
    for words in (walk.opened.first_line, DIVIDED["title"], OPEN["title"], "Run details"):
        assert words in walk.opened.ended.summary


def _passes(walk: Walk) -> None:
    assert (walk.opened.ended.code, walk.gated.ended.code) == (0, 10)


def _draft(walk: Walk) -> None:
    assert walk.draft.ended.outputs["status"] == "skipped"
    assert "the pull request is a draft" in walk.draft.ended.summary
    assert not walk.draft.requests


def _whats_new(walk: Walk) -> None:
    line = walk.pushed.first_line
    assert line.startswith("**No new findings in what is new since `")
    assert line.endswith("**2 earlier findings are still open** (1 high, 1 medium).")
    [bugs] = [prompt(r) for r in walk.pushed.requests if "# Your task: Bugs" in prompt(r)]
    assert "return sum(amounts)" in bugs
    assert DIVIDED["quote"] not in bugs.partition("# Brief")[2]


def _may_write(walk: Walk) -> None:
    assert walk.stranger.ended.outputs["status"] == "skipped"
    assert "for people with write access" in walk.stranger.ended.log
    assert walk.full.ended.outputs["status"] == "reviewed"


def _whole_again(walk: Walk) -> None:
    assert any(DIVIDED["quote"] in prompt(request) for request in walk.full.requests)
    assert [r.id for r in walk.full.reviews] == [r.id for r in walk.stranger.reviews]
    assert walk.full.body != walk.stranger.body


def _ignored(walk: Walk) -> None:
    assert OPEN["title"] not in walk.gated.body
    assert DIVIDED["title"] in walk.gated.body
    assert walk.gated.ended.outputs["findings"] == "1"


def _base_decides(walk: Walk) -> None:
    head = walk.github.api.repository.blob(walk.github.api.pulls[_PULL].head_sha, SETTINGS_FILE)
    assert head is not None
    assert head[1] == b"fail-on: never\n"
    assert walk.gated.ended.code == 10, "which the pull request's own file would not have"
    files = {f["path"]: f for f in walk.gated.ended.report["snapshot"]["files"]}
    assert files["tests/fixtures/rates.json"]["state"] == "omitted"
    assert "tests/fixtures/rates.json" in walk.gated.body
    assert all('{"EUR": 1}' not in prompt(request) for request in walk.gated.requests)
    [bugs] = [prompt(r) for r in walk.gated.requests if "# Your task: Bugs" in prompt(r)]
    assert "`docs/**`: other reviewers'" in bugs


def _cents(walk: Walk) -> None:
    for seen in (walk.first, walk.opened, walk.pushed):
        assert 0.01 < float(seen.ended.outputs["cost-usd"]) < 0.30


def _quoted_before(walk: Walk) -> None:
    log = walk.opened.ended.log
    assert log.index("quote: at most $") < log.index("reviewed: 2 findings")
    assert walk.opened.ended.report["quote"]["usd"] > 3 > walk.gated.ended.report["quote"]["usd"]
    assert "(repeats: 2, repairs: 1, verify: 1)" in log
    assert "(repeats: 0, " in walk.gated.ended.log


def _required_check(walk: Walk) -> None:
    """That GitHub then holds a merge back is GitHub's to show."""
    assert re.search(r"^jobs:\n  review:$", printed(WORKFLOW_FILE), re.MULTILINE)
    assert walk.gated.ended.code != 0


def _pages(_: Walk) -> None:
    rows = [row[0].strip("`") for row in documents.table("Inputs", "docs/inputs.md")]
    assert rows == list(NAMES)
    for words in ("## Paths", "## Guidelines", "(agents.md)"):
        assert words in documents.text("docs/configuration.md")


def _printed_here(walk: Walk) -> None:
    """That nothing was posted, the fixture saw: GitHub was not asked at all."""
    [out] = [done.stdout for line, done in walk.typed.items() if "local --base" in line]
    assert f"shop/mean.py:2: high: {DIVIDED['title']}" in out
    assert "  > 2 +     return sum(amounts) / len(amounts)" in out
    last = " ".join(out.rpartition("\n\n")[2].split())
    assert last.startswith("2 findings (1 high, 1 medium) in the source that the model received")


def _python(_: Walk) -> None:
    assert 'requires-python = ">=3.11"' in documents.text("pyproject.toml")


def _help(walk: Walk) -> None:
    assert len(walk.newcomer.types("pr-review --help").stdout.split("\n")) <= 24
    usual, everything = (
        walk.newcomer.types(f"pr-review local {flag}").stdout for flag in ("--help", "--help-all")
    )
    listed = set(re.findall(r"--(?:no-)?([a-z-]+)", everything))
    assert set(LOCAL_FLAGS) <= listed
    assert "--help-all" in usual
    assert len(usual) < len(everything)


def _local_page(walk: Walk) -> None:
    page = documents.text("docs/local.md")
    for line in walk.typed:
        assert f"pr-review {line.split()[1]}" in page
    assert "as a hook" in " ".join(page.split())
    assert "docker run" in page


def _last_lines(walk: Walk) -> None:
    last = walk.keyless.ended.log.rstrip("\n").split("\n")[-1]
    assert last.startswith("::error")
    assert "needs a credential and none was found" in last
    assert "**Failed**: " in walk.keyless.ended.summary


def _doctor(walk: Walk) -> None:
    [command] = [line for line in walk.typed if line.startswith("pr-review doctor")]
    del walk.newcomer.secrets["ANTHROPIC_API_KEY"]
    done = walk.newcomer.types(command)
    walk.newcomer.secrets["ANTHROPIC_API_KEY"] = KEY
    assert done.returncode == 2
    assert re.search(r"^problem  key .*\n +→ set api-key, or", done.stdout, re.MULTILINE)
    topics = [row[0] for row in documents.table("What does not work", "docs/local.md")]
    order = [t for row in topics for t in re.findall(r"`([^`]+)`", row)]
    met = re.findall(r"^(?:ok|warning|problem|skipped) +(\w+)", done.stdout, re.MULTILINE)
    assert met == sorted(met, key=order.index)


SENTENCES: dict[str, Callable[[Walk], None]] = {
    "Seven steps: the first three bring a review": _seven,
    "its provider wants a key": _wants_a_key,
    "by the name `ANTHROPIC_API_KEY`": _by_that_name,
    "Other models go the same way": _others_go_the_same_way,
    "set `model: none` and leave `api-key` out: the checks run alone": _checks_alone,
    "Write this file on a branch": _on_a_branch,
    "`COMMIT` the full id of one of its commits": _pinned,
    "No checkout is needed": _no_checkout,
    "Open a pull request with the file: it is reviewed already": _reviewed_already,
    "is heard once the file is on the default branch": _heard_on_the_default_branch,
    "the review warns of a token that a checkout left readable": _left_token,
    "The runner builds the image when the job starts": _image,
    "one review stands on the pull request, by `github-actions[bot]`": _one_review,
    "The first line is the verdict": _verdict,
    "A comment at its lines tells each finding": _comments,
    "A table lists the findings, most severe first": _table,
    "The run details, folded, tell for each agent tokens, cost and quote": _details,
    "The job summary tells the same": _summary,
    "The step passes whatever was found, until a gate is set": _passes,
    "Drafts are skipped, and the job summary says so": _draft,
    "A push brings a review of what is new": _whats_new,
    "commands are for people with write access": _may_write,
    "on the same commit it edits the review instead of adding one": _whole_again,
    "`/review ignore`, as an answer below a finding, ends that finding": _ignored,
    "a pull request cannot change the rules that it is reviewed by": _base_decides,
    "A small change costs some cents with this model": _cents,
    "with a ceiling, repeats are given up first": _quoted_before,
    "make the job `review` a required check": _required_check,
    "Inputs lists every setting, and configuration tells of": _pages,
    "On your machine the same review is printed, and posted nowhere": _printed_here,
    "With Python 3.11 or newer and git": _python,
    "`pr-review --help` fits one screen": _help,
    "On your machine tells of each command, of hooks, and of the image": _local_page,
    "The last lines of the log and the job summary say": _last_lines,
    "looks at everything that a run needs, in the order": _doctor,
}


# Words of sentences about GitHub's own pages, and where GitHub says the same.
OF_GITHUB = {
    "Where that is private, open it to others first": "https://docs.github.com/en/actions/how-tos/"
    "reuse-automations/share-across-private-repositories",
}


def _said() -> list[str]:
    """The sentences of the walk, without what stands in blocks, tables and headings."""
    prose = re.sub(r"```.*?```", "", WALK, flags=re.DOTALL)
    prose = re.sub(r"^[#|].*$", "", prose, flags=re.MULTILINE)
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", prose)
    parts = re.split(r"\n\n+|\n(?=- )", plain)
    flat = [" ".join(part.removeprefix("- ").split()) for part in parts]
    return [s for part in flat if part for s in re.split(r"(?<=\.)\s+(?=[A-Z`*])", part)]


def test_every_sentence_has_a_check_and_every_check_a_sentence() -> None:
    for sentence in _said():
        assert sum(words in sentence for words in (*SENTENCES, *OF_GITHUB)) == 1, sentence
    assert len(_said()) == len(SENTENCES) + len(OF_GITHUB)


@pytest.mark.parametrize("words", SENTENCES)
def test_it_is_as_the_readme_says(words: str, walk: Walk) -> None:
    SENTENCES[words](walk)


# --- what the walk types -------------------------------------------------------------------------

# What is typed, the exit code, and what is printed. The gate of step 5 holds here, too.
COMMANDS: dict[str, tuple[int, str]] = {
    "pr-review doctor --base": (0, f"ok       model         {MODEL}\n"),
    "pr-review local --base": (10, "not shown: tests/fixtures/rates.json"),
    "pr-review local --worktree": (0, "later.py:1: medium: "),
    "pr-review config": (0, f"# {SETTINGS_FILE} of origin/main, line 2\n"),
    "pr-review snapshot": (0, "\n## shop/mean.py (added, source, +6)\n"),
    "pr-review explain": (0, "shop/mean.py:2 is shown: it is an added line\n"),
}


def test_every_command_was_run() -> None:
    """`pip install` needs a network; that what it builds starts is tests/contract/test_wheel.py."""
    install, export, *others = commands()
    assert install == "pip install git+https://github.com/OWNER/pr-review@COMMIT"
    assert export == "export ANTHROPIC_API_KEY=..."
    assert [next(c for c in COMMANDS if line.startswith(c)) for line in others] == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_prints_what_it_is_for(command: str, walk: Walk) -> None:
    [done] = [done for line, done in walk.typed.items() if line.startswith(command)]
    code, words = COMMANDS[command]
    assert done.returncode == code, done.stderr
    assert words in done.stdout


# --- where nothing happens -----------------------------------------------------------------------


def _explained(walk: Walk) -> None:
    line = walk.other.first_line
    assert "it did not see" in line
    [file] = walk.other.ended.report["snapshot"]["files"]
    unseen = next(n for n in range(1, 999) if n not in file["shown_added_lines"])
    flags = "--base origin/main --head origin/much --diff-token-budget 1500"
    told = walk.newcomer.types(f"pr-review explain {file['path']}:{unseen} {flags}").stdout
    assert told.startswith(f"{file['path']}:{unseen} is not shown: over the token budget\n")
    assert "  to show it --diff-token-budget " in told


def _told_to_store(walk: Walk) -> None:
    remedy = walk.keyless.ended.log.partition("needs a credential and none was found (")[2]
    assert remedy.startswith("set api-key, or ANTHROPIC_API_KEY")


def _may_not_post(walk: Walk) -> None:
    assert walk.mute.ended.code == 7
    assert "pull-requests: write" in walk.mute.ended.log
    assert not walk.mute.requests, "and no model was paid"


def _too_dear(walk: Walk) -> None:
    assert walk.refused.first_line.startswith("**Refused**: ")
    assert "max-cost-usd" in walk.refused.first_line
    assert not walk.refused.requests


def _no_run(walk: Walk) -> None:
    who = walk.newcomer
    assert walk.unheard is None
    who.commit("apart", {SETTINGS_FILE: "fail-on: low\n"}, start="set-up")
    who.github.open_pull(4, head="apart")
    assert who.comes(4) is None, "for its conflict"
    assert _happened(who.asks(4, "/review", author="stranger")).ended.code == 0


TROUBLES: dict[str, Callable[[Walk], None]] = {
    "No run under *Actions*": _no_run,
    "`Skipped`": _draft,
    "`needs a credential and none was found`": _told_to_store,
    "`pull-requests: write`": _may_not_post,
    "`Refused`": _too_dear,
    "`it did not see`": _explained,
}


def test_every_trouble_has_a_check() -> None:
    assert [row[0] for row in documents.table("7. If nothing happens")] == list(TROUBLES)


@pytest.mark.parametrize("words", TROUBLES)
def test_trouble_looks_as_the_readme_says(words: str, walk: Walk) -> None:
    TROUBLES[words](walk)


def test_one_job_at_a_time_works_on_a_pull_request(walk: Walk) -> None:
    """A push takes the place of a run, a comment waits for it."""
    jobs = [seen.started for seen in (walk.opened, walk.pushed, walk.full)]
    assert {job.group for job in jobs} == {f"review-{_PULL}"}
    assert [job.cancels for job in jobs] == [True, True, False]
    assert walk.first.started.group == "review-1"
