"""Somebody with an empty repository and the README: what they do, and what they see.

Workflow, settings and commands are those that the README prints, and are run as it says. The
one thing added is where the stand-in of the provider listens.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pr_review import app
from tests.contract import documents
from tests.standins import workflow
from tests.standins.github import ACTIONS_BOT, GitHubServer
from tests.standins.github_git import clean_environment
from tests.standins.github_shapes import StoredReview
from tests.standins.models import ModelServer, Reply, Request, answer
from tests.standins.runner import Ended, Runner

README = documents.text("README.md")
WALK = README.partition("\n## Start\n")[2].partition("\n## ")[0]
WORKFLOW_FILE, SETTINGS_FILE = ".github/workflows/review.yml", ".github/pr-review.yml"
KEPT_AT = f"acme/pr-review@{'c0ffee12' * 5}"
MODEL = "anthropic/claude-sonnet-4-5"
KEY = "sk-planted4newcomers"

MEAN = """\
def mean(amounts):
    return sum(amounts) / len(amounts)


def notes(place):
    return open(place).read()
"""
_FOUND = {"path": "shop/mean.py", "side": "RIGHT", "confidence": "high", "category": "logic"}
DIVIDED: Mapping[str, Any] = {
    **_FOUND,
    "start_line": 2,
    "end_line": 2,
    "severity": "high",
    "title": "No amounts at all divide by zero",
    "body": "An empty basket ends in a ZeroDivisionError, which nobody catches.",
    "quote": "return sum(amounts) / len(amounts)",
    "suggestion": "    return sum(amounts) / len(amounts) if amounts else 0",
}
OPEN: Mapping[str, Any] = {
    **_FOUND,
    "start_line": 6,
    "end_line": 6,
    "severity": "medium",
    "title": "The notes stay open",
    "body": "The handle is left to the collector, so a busy shop runs out of them.",
    "quote": "return open(place).read()",
    "suggestion": None,
}


def printed(path: str) -> str:
    """The file that the walk prints under this path."""
    found = re.search(rf"```yaml\n(# {re.escape(path)}\n.*?)```", WALK, re.DOTALL)
    assert found, f"the walk prints no {path}"
    return found[1]


def commands() -> list[str]:
    """What the walk types into a shell."""
    return re.findall(r"^\$ (.+)$", WALK, re.MULTILINE)


def prompt(request: Request) -> str:
    """All that a request says; Anthropic's messages hold blocks."""
    texts = [request.json.get("system", ""), *(m["content"] for m in request.messages)]
    blocks = [block for text in texts for block in (text if isinstance(text, list) else [text])]
    return "\n".join(b["text"] if isinstance(b, dict) else b for b in blocks)


def finds(request: Request) -> Reply:
    """What a model says that finds each bug whose line it is shown, and stands by it; it bills
    the tokens that were sent, about."""
    text = prompt(request)
    if "# Your task:" not in text:
        verdicts = [
            {"id": i, "verdict": "holds"} for i in re.findall(r"^## (F\d+)$", text, re.MULTILINE)
        ]
        said: dict[str, object] = {"verdicts": verdicts}
    else:
        shown = [bug for bug in (DIVIDED, OPEN) if bug["quote"] in text]
        said = {"findings": shown if "# Your task: Bugs" in text else []}
    usage = (len(text) // 3, len(json.dumps(said)) // 3 + 50)
    if not request.path.endswith("/messages"):
        return answer(said.get("findings", ()), usage=usage)  # type: ignore[arg-type]
    block = {"type": "tool_use", "id": "t", "name": "json_tool_call", "input": said}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [block]}
    billed = {"input_tokens": usage[0], "output_tokens": usage[1]}
    return Reply({**message, "stop_reason": "tool_use", "usage": billed})


@dataclass
class Seen:
    """What a run left: on the runner, on the pull request, and at the model."""

    ended: Ended
    reviews: list[StoredReview]
    requests: list[Request]
    started: workflow.Started

    @property
    def body(self) -> str:
        return self.reviews[-1].body if self.reviews else ""

    @property
    def first_line(self) -> str:
        return self.body.partition("\n")[0]


@dataclass
class Newcomer:
    """Their clone, the repository on GitHub, and the provider of their model."""

    folder: Path
    github: GitHubServer
    model: ModelServer
    secrets: dict[str, str] = field(default_factory=dict)
    jobs: int = 0

    @property
    def clone(self) -> Path:
        return self.folder / "shop"

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=N", "-c", "user.email=n@example.invalid")
        return subprocess.run(
            ["git", *who, *arguments],
            cwd=self.clone,
            check=True,
            capture_output=True,
            text=True,
            env=clean_environment(),
        ).stdout

    def commit(self, branch: str, files: Mapping[str, str], start: str = "") -> None:
        """Commits files to a branch, which `start` begins, and pushes it."""
        self.git("switch", "-q", *(["-c", branch, start] if start else [branch]))
        for path, text in files.items():
            (self.clone / path).parent.mkdir(parents=True, exist_ok=True)
            (self.clone / path).write_text(text, encoding="utf-8")
        self.git("add", ".")
        self.git("commit", "-q", "-m", f"Change {', '.join(files)}")
        self.git("push", "-q", "origin", branch)

    def comes(
        self,
        number: int,
        action: str = "opened",
        *,
        file: str = "",
        checkout: str = "",
    ) -> Seen | None:
        """What a `pull_request` event brings; None if it starts nothing. `file` is a workflow
        other than the one that was committed, `checkout` the configuration of one."""
        text = file or self._merged(number, WORKFLOW_FILE)
        payload = self.github.event(number, action)
        return self._run(number, "pull_request", payload, text, checkout)

    def asks(self, number: int, body: str, author: str = "octocat") -> Seen | None:
        """What somebody's comment brings: runs of `issue_comment` are the default branch's."""
        comment = self.github.comment(number, body, author)
        issue = {"number": number, "state": "open", "pull_request": {"url": "x"}}
        repository = self.github.event(number)["repository"]
        payload = {"action": "created", "issue": issue, "comment": comment}
        text = self._text("main", WORKFLOW_FILE)
        return self._run(number, "issue_comment", {**payload, "repository": repository}, text, "")

    def types(self, command: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of the walk in the clone."""
        _, *arguments = shlex.split(command, comments=True)
        if MODEL in arguments and self.secrets.get("ANTHROPIC_API_KEY"):
            arguments += ["--api-base", self.model.base]
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **self.secrets}
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "oe")
        with (
            contextlib.chdir(self.clone),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                code = app.main(arguments, environ)
            except SystemExit as ended:  # `--help`
                code = int(ended.code or 0)
        for stream in (out, err):
            stream.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read(), err.read())

    def _merged(self, number: int, path: str) -> str:
        """A file as it stands where head and base of a pull request are merged; empty if they
        conflict: then no run of `pull_request` is started.
        https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request
        """
        pull, git = self.github.api.pulls[number], self.github.api.repository
        try:
            merged = git.git("merge-tree", "--write-tree", pull.base_ref, pull.head_sha)
        except subprocess.CalledProcessError:
            return ""
        return self._text(merged.decode().strip(), path)

    def _text(self, tree: str, path: str) -> str:
        git = self.github.api.repository
        if not git.git("ls-tree", "--full-tree", tree, path):
            return ""
        return git.git("show", f"{tree}:{path}").decode()

    def _run(
        self, number: int, event: str, payload: Mapping[str, Any], text: str, checkout: str
    ) -> Seen | None:
        token = f"ghs_job{self.jobs}"
        started = text and workflow.start(text, event, payload, self.secrets, token)
        if not started:
            return None
        self.jobs += 1
        self.github.grant(token, ACTIONS_BOT, started.rights, installation=True)
        inputs = dict(started.inputs)
        if inputs.get("api-key"):
            here = self.model.base if inputs["model"] == MODEL else self.model.url
            inputs["api-base"] = here
        runner = Runner(self.folder / f"job{self.jobs}", self.github, inputs)
        if checkout:
            (runner.workspace / ".git").mkdir()
            (runner.workspace / ".git/config").write_text(checkout, encoding="utf-8")
        self.model.play(finds)
        ended = runner.run(payload, event)
        reviews = copy.deepcopy(self.github.reviews(number))
        return Seen(ended, reviews, list(self.model.requests), started)


@contextlib.contextmanager
def begun(folder: Path) -> Iterator[Newcomer]:
    """From nothing to a repository with one commit, on GitHub and cloned."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in ("init -q --bare -b main shop.git", "clone -q shop.git shop"):
            subprocess.run(
                ["git", *command.split()],
                check=True,
                cwd=folder,
                env=clean_environment(),
                capture_output=True,
            )
    with ModelServer(finds) as model, GitHubServer(folder / "shop.git", "acme/shop") as github:
        newcomer = Newcomer(folder, github, model)
        newcomer.git("symbolic-ref", "HEAD", "refs/heads/main")
        (newcomer.clone / "money.py").write_text("CENTS = 100\n", encoding="utf-8")
        newcomer.git("add", ".")
        newcomer.git("commit", "-q", "-m", "Begin")
        newcomer.git("push", "-q", "origin", "main")
        yield newcomer
