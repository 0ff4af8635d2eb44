"""`screening: refuse` ends a run before any call, wherever the credential stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.snapshot.credentials import random_looking
from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.models import ModelServer, answer
from tests.standins.runner import Ended, Runner, model_inputs

pytestmark = pytest.mark.usefixtures("one_process")

TOKEN = "ghp_" + random_looking("refuse", 36)
CODE = [f"value_{n} = {n}" for n in range(30)]


@dataclass(frozen=True)
class _Case:
    """Where the credential stands: lines of the file before and after, and what is written."""

    before: list[str] = field(default_factory=lambda: CODE)
    after: list[str] = field(default_factory=lambda: [*CODE, "added = 1"])
    path: str = "src/a.py"
    title: str = "Change a thing"
    body: str = "Because."
    message: str = "Change"


_LINE = f'token = "{TOKEN}"'
_CHANGED = [*CODE[:20], "changed = 1", *CODE[20:]]
CASES = {
    "added": _Case(after=[*CODE, _LINE]),
    "removed": _Case(before=[*CODE, _LINE]),
    "context": _Case([*CODE[:19], _LINE, *CODE[19:]], [*_CHANGED[:19], _LINE, *_CHANGED[19:]]),
    "header": _Case([f"def f(x={TOKEN!r}):", *(f"    {line}" for line in CODE)],
                    [f"def f(x={TOKEN!r}):", *(f"    {line}" for line in _CHANGED)]),
    "over lines": _Case(after=[*CODE, f'token = "{TOKEN[:20]}" + \\', f'    "{TOKEN[20:]}"']),
    "path": _Case(path=f"src/{TOKEN}.py"),
    "title": _Case(title=f"Use {TOKEN}"),
    "description": _Case(body=f"To try it:\n\n    export T={TOKEN}"),
    "commit message": _Case(message=f"Change\n\nwith {TOKEN}"),
}  # fmt: skip


def _run(case: _Case, folder: Path, screening: str, model: ModelServer) -> Ended:
    def text(lines: list[str]) -> bytes:
        return ("\n".join(lines) + "\n").encode()

    commits = [
        NewCommit("main", "Begin", {case.path: text(case.before)}),
        NewCommit("feature", case.message, {case.path: text(case.after)}, "main"),
    ]
    with GitHubServer(bare_repository(folder / "x.git", commits)) as github:
        github.open_pull(1, title=case.title, body=case.body)
        runner = Runner(folder / "job", github, model_inputs(model.url))
        runner.inputs |= {"screening": screening, "agents": "bugs"}
        return runner.run(github.event(1))


@pytest.mark.parametrize("name", sorted(CASES))
def test_nothing_is_sent(name: str, tmp_path: Path) -> None:
    with ModelServer(answer()) as model:
        ended = _run(CASES[name], tmp_path, "refuse", model)
        assert model.requests == []
    assert (ended.code, ended.outputs["status"]) == (0, "refused"), ended.log
    assert "screening: refuse" in ended.report["reason"]
    assert TOKEN not in ended.log + ended.summary


def test_a_branch_is_named_without_its_credential(tmp_path: Path) -> None:
    """Branch names are not sent; the report tells them."""
    commits = [
        NewCommit("main", "Begin", {"a.py": b"a = 1\n"}),
        NewCommit(f"try/{TOKEN}", "Change", {"a.py": b"a = 2\n"}, "main"),
    ]
    with GitHubServer(bare_repository(tmp_path / "x.git", commits)) as github:
        github.open_pull(1, head=f"try/{TOKEN}")
        runner = Runner(tmp_path / "job", github, {"model": "none"})
        ended = runner.run(github.event(1))
    assert ended.outputs["status"] == "reviewed", ended.log
    assert ended.report["pull_request"]["head_ref"] == "try/[REDACTED:github-pat]"
    assert TOKEN not in str(ended.report) + ended.log + ended.summary


def test_a_change_without_a_credential_is_reviewed(tmp_path: Path) -> None:
    with ModelServer(answer()) as model:
        ended = _run(_Case(), tmp_path, "refuse", model)
        assert len(model.requests) == 1
    assert ended.outputs["status"] == "reviewed"
