"""One change that has a line of every fate, for the tests of `explain`."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pr_review.adapters.git import LocalSource
from pr_review.adapters.secrets import Kingfisher
from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.snapshot.explain import Limits
from pr_review.snapshot.explain.case import Case
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Tools
from tests.snapshot.repository import ENVIRON, Blob, Files, make

# Assembled here, so that no scanner takes this file for one that holds a credential.
PLANTED = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"[:36]
HELPERS = 6


def _function(name: str, inside: str, lines: int = 30) -> list[str]:
    """A function whose middle line is `inside`, far from its start and its end."""
    body = [f"    {name}_step_{n} = {n}" for n in range(lines)]
    body[lines // 2] = f"    {inside}"
    return [f"def {name}(first, second):", *body, f"    return {name}_step_1", ""]


def _app(*, changed: bool) -> list[str]:
    found = ["from lib import tools", "import requests", ""]
    for number in range(HELPERS):
        inside = f"total = tools.helper_{number}(first)" if changed else "total = 0"
        found += _function(f"part_{number}", inside)
    # `worker` spans more than max-scope-lines, its first lines are far from the change
    inside = "answer = requests.get(first, timeout=second)" if changed else "answer = None"
    return [*found, *_function("worker", inside, 60)]


def _tools() -> list[str]:
    found = []
    for number in range(HELPERS):
        found += [f"def helper_{number}(value):", f"    return value + {number}", ""]
    return [*found, "def unused(value):", "    return value", ""]


def _text(lines: list[str]) -> Blob:
    return Blob("".join(f"{line}\n" for line in lines).encode())


def _prose(word: str) -> list[str]:
    return [f"Sentence {n} of the manual." if n != 20 else word for n in range(40)]


BASE: Files = {
    b"src/app.py": _text(_app(changed=False)),
    b"lib/tools.py": _text(_tools()),
    b"lib/other.py": _text(["x = 1"]),
    b"docs/manual.md": _text(_prose("old")),
    b"gone.py": _text(["a = 1", "b = 2"]),
    b"before.py": _text([f"line_{n} = {n}" for n in range(20)]),
    b"conf.yaml": _text(["a: 1", "b:", "  c: 2"]),
}
HEAD: Files = {
    b"src/app.py": _text(_app(changed=True)),
    b"src/large.py": _text([f"value_{n} = compute({n}, other)" for n in range(250)]),
    b"src/more.py": _text([f'    "sentence {n} of many",' for n in range(100)]),
    b"src/most.py": _text([f'    "word {n} of a lot",' for n in range(100)]),
    b"src/key.py": _text(["import os", f'TOKEN = connect("{PLANTED}") or open(name)']),
    b"src/nul.py": Blob(b"x = 1\n\0\n"),
    b"docs/manual.md": _text(_prose("new")),
    b"tests/test_app.py": _text([f"assert part_{n}(1, 2) == {n}" for n in range(60)]),
    b"yarn.lock": _text([f"package-{n}@^1.0.{n}:" for n in range(40)]),
    b"notes/plan.txt": _text(["one", "two"]),
    b"logo.png": Blob(b"\x89PNG\0\1"),
    b"gone.py": None,
    b"before.py": None,
    b"after.py": _text([f"line_{n} = {n if n != 9 else 99}" for n in range(20)]),
    b"src/long.py": _text(
        [f"line_{n} = {n}" if n != 9 else f'line_9 = call("{"=" * 2_500}")' for n in range(20)]
    ),
    b"conf.yaml": _text(["a: 1", "b:", "  c: 3"]),
}
# The head of an earlier review: of src/app.py half was as it is now, src/large.py was not there.
THEN: Files = {
    **{path: blob for path, blob in HEAD.items() if path != b"src/large.py"},
    b"src/app.py": _text([*_app(changed=True)[:100], *_app(changed=False)[100:]]),
}
PATHS = (
    "src/app.py", "src/large.py", "src/more.py", "src/most.py", "src/key.py", "src/nul.py",
    "docs/manual.md", "conf.yaml", "tests/test_app.py", "yarn.lock", "notes/plan.txt", "logo.png",
    "gone.py", "after.py", "src/long.py",
)  # fmt: skip
UNCHANGED = ("lib/tools.py", "lib/other.py")
LIMITS = (
    "--diff-token-budget", "3600", "--max-file-bytes", "4000", "--exclude", "notes/**",
    "--max-dependencies", "2",
)  # fmt: skip
POLICY = SnapshotPolicy(
    token_budget=3_600, max_file_bytes=4_000, exclude=("notes/**",), dependencies=2
)


@functools.cache
def repository() -> Path:
    """The repository of the change, made once and deleted at the end."""
    folder = Path(tempfile.mkdtemp(prefix="explained-"))
    atexit.register(shutil.rmtree, folder)
    return make(folder / "repo.git", BASE, HEAD, then=THEN).folder


@contextmanager
def case(policy: SnapshotPolicy = POLICY, folder: Path | None = None) -> Iterator[Case]:
    """The change under a policy, with the tools of the command."""
    source = LocalSource(
        folder or repository(), base="base", head="head", max_bytes=8_000_000, passed=ENVIRON
    )
    with source:
        touched = source.touched_since(policy.since) if policy.since else None
        tools = Tools(source, TreeSitter(), Kingfisher(), touched=touched)
        yield Case(lambda _: source.change(), tools, token_counter(), Limits(policy, 8_000_000))
