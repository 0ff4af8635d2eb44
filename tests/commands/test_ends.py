"""docs/ends.md, row by row: whole runs end as it says, and no run says more than it saw."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.contract import documents
from tests.demo_sample import credential
from tests.standins.github import GitHubServer, StoredReview
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.kept_process import kept_process
from tests.standins.models import (
    ModelServer,
    Reply,
    Request,
    Script,
    answer,
    completion,
    server_error,
)
from tests.standins.runner import Ended, Runner, model_inputs

FINDING = {
    "path": "app.py",
    "start_line": 1,
    "end_line": 1,
    "side": "RIGHT",
    "severity": "high",
    "confidence": "high",
    "category": "logic",
    "title": "The rate is wrong",
    "body": "It was one before, and callers count on that.",
    "quote": "rate = 2",
    "suggestion": None,
}
AFTER = b"rate = 2\n"
LONG = b"".join(b"value_%d = compute(%d, %d)\n" % (n, n, n * n) for n in range(900))
WIDE = {
    f"{folder}/part.py": b"".join(
        b"%s_%d = compute(%d)\n" % (folder.encode(), n, n) for n in range(90)
    )
    for folder in ("cart", "mail")
}
LOCK = b"".join(b'"package-%d": "%d"\n' % (n, n * n) for n in range(9_000))


@dataclass(frozen=True)
class Shown:
    """How a run ended, and the last review on its pull request."""

    ended: Ended
    review: StoredReview | None

    @property
    def first_line(self) -> str:
        if self.review is not None:
            return self.review.body.split("\n", 1)[0]
        return next(line for line in self.ended.summary.split("\n") if line.startswith("**"))

    @property
    def text(self) -> str:
        """All that a reader sees: the review without its hidden last line, the job summary."""
        body = self.review.body.rpartition("\n<!--")[0] if self.review else ""
        return f"{body}\n{self.ended.summary}"


@dataclass
class World:
    """One repository, a model, and as many pull requests as are asked for."""

    github: GitHubServer
    model: ModelServer
    root: Path
    number: int = 0
    jobs: int = 0

    def open(self, branch: str, *, draft: bool = False) -> int:
        self.number += 1
        self.github.open_pull(self.number, head=branch, draft=draft)
        return self.number

    def run(
        self, number: int, script: Script, inputs: Mapping[str, str] | None = None
    ) -> tuple[Ended, list[StoredReview]]:
        """Runs the action; how it ended, and the reviews that it posted."""
        self.jobs += 1
        self.model.play(script)
        given = {**model_inputs(self.model.url), **(inputs or {})}
        before = len(self.github.reviews(number))
        job = Runner(self.root / str(self.jobs), self.github, given)
        return job.run(self.github.event(number)), self.github.reviews(number)[before:]

    def shown(
        self, script: Script, inputs: Mapping[str, str] | None = None, *, branch: str = "small"
    ) -> Shown:
        return shown(self.run(self.open(branch), script, inputs))

    def pushed(self, first: Script, branch: str, inputs: Mapping[str, str] | None = None) -> Shown:
        """A review, a push of what stands on `branch`, and a review in which nothing is found."""
        number = self.open("small")
        assert self.run(number, first)[0].code == 0
        self.github.push(number, branch)
        return shown(self.run(number, NOTHING, inputs))


def shown(run: tuple[Ended, list[StoredReview]]) -> Shown:
    ended, reviews = run
    return Shown(ended, reviews[-1] if reviews else None)


def is_for(request: Request, agent: str) -> bool:
    return f"# Your task: {agent}" in str(request.messages[-1]["content"])


def one_fails(request: Request) -> Reply:
    return Reply({"error": {"message": "no"}}, 400) if is_for(request, "Security") else NOTHING


def one_fails_in_one_pass(request: Request) -> Reply:
    mail = "## mail/part.py (added" in str(request.messages[-1]["content"])
    return one_fails(request) if mail else NOTHING


def one_is_cut(request: Request) -> Reply:
    text = json.dumps({"findings": [FINDING]})[:-2] + ', {"path": "app.py", "ti'
    return completion(text, finish_reason="length") if is_for(request, "Bugs") else NOTHING


def one_is_odd(request: Request) -> Reply:
    elsewhere = {**FINDING, "path": "src/nowhere.py"}
    return answer([elsewhere, {"path": 7}]) if is_for(request, "Bugs") else NOTHING


def one_finds(request: Request) -> Reply:
    return answer([FINDING]) if is_for(request, "Bugs") else NOTHING


def unpostable(world: World) -> Shown:
    number = world.open("small")
    # the first is the write check, before anything is paid for
    world.github.fault("POST", rf"/pulls/{number}/reviews/\d+/events$", times=99, status=500)
    try:
        return shown(world.run(number, NOTHING))
    finally:
        world.github.faults.clear()


NOTHING = answer()
CHEAP = {"max-cost-usd": "0.001"}

ENDS: Mapping[str, Callable[[World], Shown]] = {
    "All agents answered, nothing found": lambda w: w.shown(NOTHING),
    "The same, and of two findings one could not be read and one did not hold": lambda w: w.shown(
        one_is_odd
    ),
    "All agents answered, with a finding": lambda w: w.shown(one_finds),
    "The same, at `fail-on`": lambda w: w.shown(one_finds, {"fail-on": "high"}),
    "A lockfile was left out": lambda w: w.shown(NOTHING, branch="locked"),
    "Some source was left out": lambda w: w.shown(
        NOTHING, {"diff-token-budget": "2000"}, branch="long"
    ),
    "Some agents failed": lambda w: w.shown(one_fails),
    "The same, with `fail-on-partial`": lambda w: w.shown(one_fails, {"fail-on-partial": "source"}),
    "An agent failed in one of several passes": lambda w: w.shown(
        one_fails_in_one_pass, {"diff-token-budget": "1700", "max-passes": "2"}, branch="wide"
    ),
    "An answer was cut short": lambda w: w.shown(one_is_cut),
    "All agents failed": lambda w: w.shown(server_error(), {"run-deadline": "4"}),
    "No model: the checks alone": lambda w: w.shown(NOTHING, {"model": "none", "api-key": ""}),
    "Refused by the quote": lambda w: w.shown(NOTHING, CHEAP),
    "The same, with `fail-on-refused`": lambda w: w.shown(
        NOTHING, {**CHEAP, "fail-on-refused": "true"}
    ),
    "Refused by screening": lambda w: w.shown(NOTHING, {"screening": "refuse"}, branch="planted"),
    "Not reviewed: no changed line could be shown": lambda w: w.shown(NOTHING, branch="lock"),
    "Skipped: not ours to review": lambda w: shown(w.run(w.open("small", draft=True), NOTHING)),
    "What is new, nothing found": lambda w: w.pushed(NOTHING, "more"),
    "What is new, with an earlier finding open": lambda w: w.pushed(one_finds, "more"),
    "The same, with an earlier finding open, at `fail-on`": lambda w: w.pushed(
        one_finds, "more", {"fail-on": "high"}
    ),
    "Nothing is new": lambda w: w.pushed(NOTHING, "empty"),
    "The configuration is wrong": lambda w: w.shown(NOTHING, {"model": ""}),
    "The review could not be posted": unpostable,
}


@dataclass(frozen=True)
class Row:
    """What the document says of one end."""

    status: str
    code: int
    coverage: str
    of_source: str
    posted: bool
    first_line: re.Pattern[str]
    never: tuple[str, ...]


def rows() -> dict[str, Row]:
    return {name: _row(*cells) for name, *cells in documents.table("Ends", "docs/ends.md")}


def _row(
    status: str, code: str, coverage: str, of_source: str, posted: str, first: str, never: str
) -> Row:
    pattern = ".*".join(re.escape(part) for part in _spans(first)[0].split("…"))
    return Row(
        status=_spans(status)[0],
        code=int(code),
        coverage=coverage.strip("–"),
        of_source=of_source.strip("–"),
        posted=posted == "yes",
        first_line=re.compile(pattern),
        never=tuple(_spans(never)),
    )


def _spans(cell: str) -> list[str]:
    """The code spans of a cell."""
    return [match[2] for match in re.finditer(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", cell)]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("ends")
    planted = f"key = '{credential()}'\n".encode()
    bare = bare_repository(
        folder / "widgets.git",
        [
            NewCommit("main", "Begin", {"app.py": b"rate = 1\n", "yarn.lock": b""}),
            NewCommit("small", "Change", {"app.py": AFTER}, start="main"),
            NewCommit(
                "more", "Add", {"new.py": b"def half(x):\n    return x / 2\n"}, start="small"
            ),
            NewCommit("empty", "Say it again", {}, start="small"),
            NewCommit("locked", "Lock", {"app.py": AFTER, "yarn.lock": LOCK}, start="main"),
            NewCommit("lock", "Lock", {"yarn.lock": LOCK}, start="main"),
            NewCommit("long", "Grow", {"app.py": AFTER, "long.py": LONG}, start="main"),
            NewCommit("wide", "Spread", WIDE, start="main"),
            NewCommit("planted", "Plant", {"key.py": planted}, start="main"),
        ],
    )
    with kept_process(), GitHubServer(bare) as github, ModelServer() as model:
        yield World(github, model, folder)


def test_every_documented_end_is_tried() -> None:
    assert list(rows()) == list(ENDS)


@pytest.mark.parametrize("name", ENDS)
def test_a_run_ends_as_the_document_says(name: str, world: World) -> None:
    row, found = rows()[name], ENDS[name](world)
    outputs = found.ended.outputs
    assert found.ended.code == row.code, found.ended.log
    assert outputs["status"] == row.status
    assert (outputs["coverage"], outputs["coverage-source"]) == (row.coverage, row.of_source)
    assert (found.review is not None) == row.posted
    assert row.first_line.fullmatch(found.first_line), found.first_line
    for words in row.never:
        assert words not in found.text


def test_no_findings_stands_alone_in_rows_of_full_sight_only() -> None:
    for name, row in rows().items():
        if row.first_line.fullmatch("**No findings.**"):
            assert (row.status, row.of_source, row.code) == ("reviewed", "full", 0), name


def test_the_readme_leads_to_the_ends() -> None:
    assert "](docs/ends.md)" in documents.text("README.md")
