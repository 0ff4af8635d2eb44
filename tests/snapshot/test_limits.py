"""Input that nobody wrote by hand: each file is accounted for, and the run goes on.

Every case is a real repository, read by the command that a user runs: exit code 0, the ledger
balances against git's own counts, the budget holds. How long a case takes is bounded by the
timeout of the suite alone; `bench/` tells what grows faster than its input.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.domain.diff import FileChange
from pr_review.domain.ledger import State
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Tools, prepare
from tests.snapshot.listing import NEW, Memory, NoSecrets, added, change, file, hunk
from tests.snapshot.repository import Blob, Files, Repo, make, shown_rows, snapshot
from tests.snapshot.taking import printed, scanner, source

BUDGET = 4_000
ABSENT = "0" * 40


def _told(repo: Repo, out: Path, *flags: str) -> Any:
    """The snapshot as JSON, after its account was held against git's."""
    told = snapshot(repo.folder, out / "told.json", "--diff-token-budget", str(BUDGET), *flags)
    assert token_counter().count(told["text"]) == told["tokens"] <= BUDGET
    assert [entry["path"] for entry in told["files"]] == list(repo.rows)
    for entry in told["files"]:
        row = repo.rows[entry["path"]]
        assert (entry["additions"], entry["deletions"]) == (row.added, row.removed)
        kept = sum(
            len(entry[f"{how}_{side}_lines"])
            for how in ("shown", "folded")
            for side in ("added", "removed")
        )
        whole = kept == row.added + row.removed
        assert whole or entry["state"] in ("partial", "omitted")
        assert (entry["reason"] is None) == (entry["state"] == "shown")
    return told


def _functions(count: int, *, changed: int = 0) -> bytes:
    """Functions of four lines; of every `changed` of them one is another."""
    return b"".join(
        b"def f%d(x):\n    y = x + %d\n    return y\n\n" % (n, changed > 0 and n % changed == 0)
        for n in range(count)
    )


def _repeated(count: int, *, every: int = 0) -> bytes:
    return b"".join(b"q\n" if every and n % every == 0 else b"p\n" for n in range(count))


def _lines(count: int, form: bytes) -> bytes:
    return b"".join(form % n for n in range(count))


def _deep(count: int, *, changed: bool) -> bytes:
    return b"".join(
        b" " * n + (b"b:\n" if changed and n % 3 == 0 else b"a:\n") for n in range(count)
    )


def _one(path: bytes, base: bytes, head: bytes) -> tuple[Files, Files]:
    return {path: Blob(base)}, {path: Blob(head)}


def _long(letter: bytes, changed: int) -> bytes:
    return b"%sz = '%s'\n%s" % (_functions(9, changed=changed), letter * 1_000_000, _functions(9))


# Every file here is called `a.*`, and holds a change of code that the snapshot could show.
CASES: dict[str, Callable[[], tuple[Files, Files]]] = {
    "a line of 1 MB": lambda: _one(b"a.py", _long(b"x", 0), _long(b"y", 3)),
    "a line of 400 KB next to the change": lambda: _one(
        b"a.py",
        b"def g():\n    a = 1\n    z = '%s'\n" % (b"x" * 400_000),
        b"def g():\n    a = 2\n    z = '%s'\n" % (b"x" * 400_000),
    ),
    "100,000 hunks": lambda: _one(b"a.py", _repeated(800_000), _repeated(800_000, every=8)),
    "10,000 functions": lambda: _one(b"a.py", _functions(10_000), _functions(10_000, changed=3)),
    "20,000 imports": lambda: _one(
        b"a.py",
        _lines(20_000, b"import m%d\n") + b"x = 1\n",
        _lines(20_000, b"import m%d\n") + b"x = m1.f()\n" + _lines(2_000, b"m%d.g()\n"),
    ),
    "12,000 names": lambda: _one(b"a.py", b"x = 1\n", _lines(12_000, b"v = w%d(x)\n")),
    "1,400 levels": lambda: _one(
        b"a.yaml", _deep(1_400, changed=False), _deep(1_400, changed=True)
    ),
    "a merge base over 1 MB": lambda: _one(b"a.py", _functions(25_000), _functions(100, changed=9)),
    "a head over 1 MB": lambda: _one(b"a.py", _functions(100), _functions(25_000, changed=900)),
    "a head over 512 KiB": lambda: _one(
        b"a.py", _functions(15_000), _functions(15_000, changed=900)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_too_much_of_everything(name: str, tmp_path: Path) -> None:
    told = _told(make(tmp_path / "repo.git", *CASES[name]()), tmp_path)
    [entry] = told["files"]
    assert entry["shown_added_lines"], "what fits is shown"


@pytest.mark.parametrize("unit", [b"fun ", b"class A: B<", b"{", b"@A "])
def test_a_grammar_that_would_not_end(unit: bytes, tmp_path: Path) -> None:
    body = unit * (250_000 // len(unit))
    repo = make(
        tmp_path / "repo.git",
        *_one(b"a.kt", b"fun f() {\n  a\n}\n" + body, b"fun f() {\n  b\n}\n" + body),
    )
    [entry] = _told(repo, tmp_path)["files"]
    assert entry["state"] == "shown"
    assert entry["structure"].startswith("indentation: "), "the reason is told"


def test_a_tree_of_100_000_paths(tmp_path: Path) -> None:
    tree: dict[bytes, Blob | None] = {
        b"pkg%d/sub%d/mod%d.py" % (n % 100, n % 1_000, n): Blob(b"") for n in range(100_000)
    }
    tree[b"pkg1/sub1/mod1.py"] = Blob(b"def found():\n    return 1\n")
    tree[b"main.py"] = Blob(b"x = 1\n")
    used = b"from pkg1.sub1.mod1 import found\nx = found()\n" + _lines(200, b"y = missing_%d()\n")
    told = _told(make(tmp_path / "repo.git", tree, {b"main.py": Blob(used)}), tmp_path)
    assert told["files"][0]["state"] == "shown"
    assert [d["path"] for d in told["dependencies"] if d["state"] == "shown"] == [
        "pkg1/sub1/mod1.py"
    ]


BODY = b"class A:\n    def f(self):\n" + _lines(12, b"        x%d = 0\n") + b"        return 1\n"


def _shown(told: Any, path: str) -> dict[int, str]:
    rows = shown_rows(told["text"]).get(path, [])
    return {row.number: row.text for row in printed(rows) if row.number}


def test_bytes_that_are_not_utf8_in_code_and_its_context(tmp_path: Path) -> None:
    body = BODY.replace(b"x5", b"caf\xe9").replace(b"f(self)", b"f\xff(self)")
    repo = make(tmp_path / "repo.git", *_one(b"a.py", body, body.replace(b"return 1", b"return 2")))
    told = _told(repo, tmp_path)
    shown = _shown(told, "a.py")
    assert shown[2] == "    def f\ufffd(self):"
    assert shown[8] == "        caf\ufffd = 0"
    assert told["files"][0]["structure"] == "syntax"


def test_crlf_is_said_once_and_its_context_has_none(tmp_path: Path) -> None:
    body = BODY.replace(b"\n", b"\r\n")
    repo = make(tmp_path / "repo.git", *_one(b"a.py", body, body.replace(b"return 1", b"return 2")))
    told = _told(repo, tmp_path)
    assert "CRLF" in told["text"]
    assert _shown(told, "a.py")[2] == "    def f(self):"
    assert "\\u{d}" not in told["text"]


def test_the_last_line_of_a_file_without_a_final_newline_as_context(tmp_path: Path) -> None:
    body = b"def f():\n    a = 1\n    b = 2\n    return b"
    repo = make(tmp_path / "repo.git", *_one(b"a.py", body, body.replace(b"a = 1", b"a = 3")))
    told = _told(repo, tmp_path)
    assert _shown(told, "a.py") == {
        1: "def f():", 2: "    a = 3", 3: "    b = 2", 4: "    return b",
    }  # fmt: skip


def test_paths_with_control_characters_and_definitions_in_them(tmp_path: Path) -> None:
    odd, bidi = b"pkg/\x07/new\nline.py", b"bidi\xe2\x80\xae\x1b[2J.py"
    called = b"from .helpers import helper\n\n\ndef f():\n    return helper(%d)\n"
    base: Files = {
        odd: Blob(called % 1),
        bidi: Blob(BODY),
        b"pkg/\x07/helpers.py": Blob(b"def helper(x):\n    return x\n"),
    }
    head = {odd: Blob(called % 2), bidi: Blob(BODY.replace(b"return 1", b"return 2"))}
    told = _told(make(tmp_path / "repo.git", base, head), tmp_path)
    assert {entry["state"] for entry in told["files"]} == {"shown"}
    assert not set("\x1b\x07\u202e") & set(told["text"])
    assert _shown(told, "pkg/\\u{7}/new\\u{a}line.py")[5] == "    return helper(2)"
    [found] = [d for d in told["dependencies"] if d["name"] == "helper"]
    assert (found["path"], found["state"]) == ("pkg/\x07/helpers.py", "shown")
    assert "## `pkg/\\u{7}/helpers.py` (unchanged, " in told["text"]


def test_symlinks_that_lead_to_one_another(tmp_path: Path) -> None:
    head: Files = {
        b"a.py": Blob(b"b.py", "120000"),
        b"b.py": Blob(b"a.py", "120000"),
        b"self/loop": Blob(b"../self/loop", "120000"),
        b"main.py": Blob(b"from a import helper\n\nx = helper(2)\n"),
    }
    base: Files = {b"main.py": Blob(b"x = 1\n"), b"a.py": Blob(b"def helper(x):\n    return x\n")}
    told = _told(make(tmp_path / "repo.git", base, head), tmp_path)
    assert {entry["state"] for entry in told["files"]} <= {"shown", "folded"}
    assert "unchanged, used by" not in told["text"], "a link holds no definition"


def test_deleted_renamed_retyped_files_and_submodules(tmp_path: Path) -> None:
    edited = BODY.replace(b"return 1", b"return 2")
    base: Files = {
        b"gone.py": Blob(BODY), b"old.py": Blob(BODY + b"\nold = 1\n"),
        b"link.py": Blob(BODY.replace(b"x0", b"y0")), b"sub": Blob(b"1" * 40, "160000"),
        b"code": Blob(BODY.replace(b"x0", b"z0")),
    }  # fmt: skip
    head: Files = {
        b"gone.py": None, b"old.py": None, b"new.py": Blob(edited + b"\nold = 1\n"),
        b"link.py": Blob(b"new.py", "120000"), b"sub": Blob(b"2" * 40, "160000"),
        b"code": Blob(b"3" * 40, "160000"),
    }  # fmt: skip
    told = _told(make(tmp_path / "repo.git", base, head), tmp_path)
    entries = {entry["path"]: entry for entry in told["files"]}
    assert (entries["new.py"]["status"], entries["new.py"]["old_path"]) == ("renamed", "old.py")
    assert _shown(told, "new.py")[2] == "    def f(self):", "context from the new side"
    assert entries["gone.py"]["context_lines"] == []
    assert (entries["link.py"]["status"], entries["code"]["status"]) == ("type", "type")
    assert entries["sub"]["state"] == "folded"


def test_a_definition_whose_blob_is_gone_from_the_clone(tmp_path: Path) -> None:
    base: Files = {
        b"helpers.py": Blob(b"def helper(x):\n    return x\n"),
        b"main.py": Blob(b"from helpers import helper\nx = 1\n"),
    }
    head: Files = {b"main.py": Blob(b"from helpers import helper\nx = helper(2)\n")}
    repo = make(tmp_path / "repo.git", base, head)
    assert [d["state"] for d in _told(repo, tmp_path)["dependencies"]] == ["shown"]
    _lose(repo, "head:helpers.py")
    told = _told(repo, tmp_path)
    assert [entry["state"] for entry in told["files"]] == ["shown"]
    assert [d["state"] for d in told["dependencies"]] == ["unresolved"]


def _lose(repo: Repo, name: str) -> None:
    """Deletes one object of a repository, as a damaged disk or a partial clone would."""
    oid = repo.git("rev-parse", name).decode().strip()
    packs = repo.folder / "objects" / "pack"
    for pack in packs.glob("*.pack"):
        moved = shutil.move(pack, repo.folder / "moved.pack")
        pack.with_suffix(".idx").unlink()
        repo.git("unpack-objects", "-q", stdin=Path(moved).read_bytes())
    (repo.folder / "objects" / oid[:2] / oid[2:]).unlink()


def test_a_changed_file_whose_contents_are_gone_is_named_and_the_others_are_shown(
    tmp_path: Path,
) -> None:
    names = [b"a.py", b"b.py", b"gone.py"]
    before: Files = {name: Blob(name + b" = 1\n") for name in names}
    after: Files = {name: Blob(name + b" = 1\nmore = 2\n") for name in names}
    repo = make(tmp_path / "repo.git", before, after)
    _lose(repo, "head:gone.py")
    told = snapshot(repo.folder, tmp_path / "told.json")
    assert [(e["path"], e["state"], e["reason"]) for e in told["files"]] == [
        ("a.py", "shown", None), ("b.py", "shown", None), ("gone.py", "omitted", "unparsable"),
    ]  # fmt: skip
    assert told["coverage"] == told["coverage_source"] == "partial"
    assert "- gone.py" in told["text"]


def test_the_blob_of_a_changed_file_that_comes_from_nowhere() -> None:
    """The diff stands, its context does not: where contents are gone, nothing is guessed."""
    lost = file("src/a.py", hunk(" -+ ", ["a", "b", "c", "d"], old=40, new=40))
    tools = Tools(Memory({}), TreeSitter(), NoSecrets())
    found = fit(prepare(change(lost), SnapshotPolicy(), tools), SnapshotPolicy(), token_counter())
    [entry] = found.ledger.entries
    assert (entry.state, entry.context, entry.structure) == (State.SHOWN, (40, 42), "")


@pytest.mark.parametrize(
    "blob",
    [
        b"", b"\n", b"other\n" * 60, b"x\n" * 41, b"\xff\xfe\0\0", b"line 40\nline 41\n",
    ],
)  # fmt: skip
def test_hunks_that_are_not_of_the_blob_get_no_context_from_it(blob: bytes) -> None:
    """A server that answers with the wrong object must not put its lines into our mouth."""
    wrong = file("src/a.py", hunk(" -+ ", ["a", "b", "c", "d"], old=40, new=40))
    tools = Tools(Memory({NEW: blob}), TreeSitter(), NoSecrets())
    found = fit(prepare(change(wrong), SnapshotPolicy(), tools), SnapshotPolicy(), token_counter())
    [entry] = found.ledger.entries
    assert (entry.state, entry.context) == (State.SHOWN, (40, 42))


def test_more_changed_text_than_is_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the bound files have no context, but all of them are shown."""
    monkeypatch.setattr("pr_review.snapshot.structure._MOST_BYTES", 2_000)
    blobs, files = {}, []
    for number in range(120):
        text = b"def f():\n" + _lines(9, b"    x%d = 0\n") + b"    y = 1\n"
        oid = f"{number + 1:040x}"
        blobs[oid] = text
        changed = hunk("  +", ["    x7 = 0", "    x8 = 0", "    y = 1"], old=9, new=9)
        files.append(replace(file(f"src/m{number:03}.py", changed), new_oid=oid))
    tools = Tools(Memory(blobs), TreeSitter(), NoSecrets())
    ready = prepare(change(*files), SnapshotPolicy(), tools)
    found = fit(ready, SnapshotPolicy(), token_counter())
    grown = [len(entry.context) > 2 for entry in found.ledger.entries]
    assert {entry.state for entry in found.ledger.entries} == {State.SHOWN}
    assert grown == sorted(grown, reverse=True)
    assert any(grown)
    assert not all(grown)


def test_the_outline_of_a_file_survives_what_its_path_promises(tmp_path: Path) -> None:
    """Binary rubbish under every suffix that has a grammar: no reader raises."""
    rubbish = bytes(range(256)) * 20
    files = [replace(added(f"src/a.{suffix}", 3), new_oid=NEW) for suffix in SUFFIXES]
    tools = Tools(Memory({NEW: rubbish}), TreeSitter(), scanner())
    ready = prepare(change(*files), SnapshotPolicy(), tools)
    assert [draft.barred for draft in ready.drafts] == [None] * len(SUFFIXES)
    assert all(draft.structure for draft in ready.drafts)


SUFFIXES = "py js ts tsx go rs java rb c cpp cs php kt scala sh swift yaml".split()


def test_the_change_is_not_altered_by_being_read(tmp_path: Path) -> None:
    repo = make(tmp_path / "repo.git", *_one(b"a.py", BODY, BODY.replace(b"x5", b"y5")))
    with source(repo) as opened:
        before: tuple[FileChange, ...] = opened.change().files
        ready = prepare(opened.change(), SnapshotPolicy(), Tools(opened, TreeSitter(), scanner()))
    assert tuple(draft.file for draft in ready.drafts) == before
