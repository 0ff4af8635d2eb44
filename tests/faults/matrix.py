"""Every call of a run, and everything that can go wrong with it: what must come of each pair.

The stand-in suffers the fault, once or for good. However it ends, there is at most one review
on the pull request and none is pending, and what was found reaches a reader.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pr_review.adapters.actions.log import Log
from pr_review.commands import action
from pr_review.commands.pace import Pace
from pr_review.errors import PrReviewError
from pr_review.review.lock import Patience
from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.runner import Runner, read_outputs

NUMBER = 7
FINDING = "A merge conflict is committed"
HTML = "<!DOCTYPE html><html><title>Unicorn!</title></html>"
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}
# as patient as the action is, in a twentieth of the time
PACE = Pace(
    timeout=0.8, max_wait=3.0, settle=0.05, lock=Patience(waiting=1.0, step=0.1, cleaning=10.0)
)
# for faults that answer at once: on a machine that does other things as well no call is late
UNHURRIED = replace(PACE, timeout=10.0)


@dataclass(frozen=True)
class Call:
    """A call of a run: how it is told apart, and the exit code if it never works."""

    name: str
    method: str
    path: str
    code: int

    @property
    def is_git(self) -> bool:
        return self.path.startswith(r"\.git")


@dataclass(frozen=True)
class Trouble:
    """A fault. `lasts`: GitHub asks for a longer wait than a run has, so it ends at once."""

    name: str
    how: Mapping[str, Any] = field(default_factory=dict)
    lasts: bool = False

    @property
    def pace(self) -> Pace:
        """How patient a run is that suffers it."""
        return PACE if {"delay", "drip"} & set(self.how) else UNHURRIED


# 0: the run does without this call, however long it fails
CALLS = (
    Call("pull request", "GET", r"/pulls/7$", 4),
    Call("settings file", "GET", r"/contents/", 4),
    Call("merge base", "GET", r"/compare/", 4),
    Call("commits", "GET", r"/commits$", 4),
    Call("what stands", "POST", r"^/graphql$", 0),
    Call("fetch: refs", "GET", r"\.git/info/refs", 0),
    Call("fetch: objects", "POST", r"\.git/git-upload-pack", 0),
    Call("pending review", "POST", r"/reviews$", 7),
    Call("submission", "POST", r"/events$", 7),
)
TROUBLES = (
    Trouble("500", {"status": 500}),
    Trouble("502 after effect", {"status": 502, "body": HTML, "after_effect": True}),
    Trouble("429 with Retry-After", {"status": 429, "headers": {"Retry-After": "1"}}),
    Trouble("429 without", {"status": 429, "body": SECONDARY}, lasts=True),
    Trouble("403 secondary limit", {"status": 403, "body": SECONDARY}, lasts=True),
    Trouble("time-out", {"status": 504, "delay": 1.6}),
    Trouble("cut body", {"cut": True}),
    Trouble("HTML body", {"status": 200, "body": HTML}),
    Trouble("slow drip", {"drip": 0.05}),
)


@dataclass(frozen=True)
class Ended:
    """How a run ended: what a job's owner sees, and what is left on the pull request."""

    code: int
    outputs: Mapping[str, str]
    summary: str
    log: str
    submitted: int
    pending: int

    @property
    def words(self) -> str:
        """For the table: what became of the review."""
        return "posted" if self.submitted == 1 and self.code == 0 else f"exit {self.code}"


def repository(folder: Path) -> Path:
    """A change of a few lines with a finding in it; nothing in it has to be parsed."""
    marked = b"one\n<<<<<<< ours\ntwo\n=======\nthree\n>>>>>>> theirs\n"
    return bare_repository(
        folder,
        [
            NewCommit("main", "Begin", {"notes.txt": b"one\n"}),
            NewCommit("feature", "Merge notes", {"notes.txt": marked}, start="main"),
        ],
    )


def run(github: GitHubServer, root: Path, number: int = NUMBER, pace: Pace = PACE) -> Ended:
    """One run of the action in this process."""
    runner = Runner(root, github, {"model": "none", "checks": "conflict-markers"})
    environ = runner.environment(github.event(number))
    log = io.StringIO()
    try:
        code = action.start(environ, Log(log), pace)
    except PrReviewError as error:
        code = error.exit_code
        log.write(str(error))
    reviews = github.reviews(number)
    pending = sum(review.state == "PENDING" for review in reviews)
    return Ended(
        code,
        read_outputs((root / "output").read_text(encoding="utf-8")),
        (root / "summary.md").read_text(encoding="utf-8"),
        log.getvalue(),
        len(reviews) - pending,
        pending,
    )


@contextlib.contextmanager
def troubled(github: GitHubServer, call: Call, trouble: Trouble, times: int) -> Any:
    """The stand-in with one fault in wait."""
    github.faults.clear()
    github.fault(call.method, call.path, **{"times": times, **trouble.how})
    yield
    github.faults.clear()
