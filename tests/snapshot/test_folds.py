"""What one sentence can say exactly, and what has to be read."""

from __future__ import annotations

import pytest

from pr_review.domain.diff import FileChange, Hunk, Line, Status
from pr_review.domain.ledger import Reason
from pr_review.snapshot.folds import fold
from tests.snapshot.listing import NEW, OLD, file, hunk

OID, OTHER = "oid sha256:" + "a" * 64, "oid sha256:" + "b" * 64
LFS = "version https://git-lfs.github.com/spec/v1"
ABSENT, LINK = "000000", "160000"


def folded(given: FileChange) -> tuple[Reason, str] | None:
    found = fold(given)
    return (found.reason, found.says) if found else None


@pytest.mark.parametrize(
    ("given", "reason", "says"),
    [
        (file("a.png", binary=True), Reason.BINARY, "binary, not readable as text"),
        (
            file("lib", hunk("-+", ["commit a", "commit b"]), old_mode=LINK, new_mode=LINK),
            Reason.SUBMODULE,
            f"submodule moved from {OLD[:12]} to {NEW[:12]}",
        ),
        (
            file("lib", hunk("+", ["x"]), status=Status.ADDED, old_mode=ABSENT, new_mode=LINK),
            Reason.SUBMODULE,
            f"submodule added at {NEW[:12]}",
        ),
        (
            file("lib", hunk("-", ["x"]), status=Status.DELETED, old_mode=LINK, new_mode=ABSENT),
            Reason.SUBMODULE,
            f"submodule removed, was at {OLD[:12]}",
        ),
        (
            file("a.psd", hunk(" -+-+", [LFS, OID, OTHER, "size 12345", "size 99999"])),
            Reason.LFS,
            "LFS object changed, 12345 -> 99999 bytes",
        ),
        (
            file("a.psd", hunk(" -+ ", [LFS, OID, OTHER, "size 7"])),
            Reason.LFS,
            "LFS object changed, 7 -> 7 bytes",
        ),
        (
            file("a.psd", hunk("+++", [LFS, OID, "size 7"], old=0), status=Status.ADDED),
            Reason.LFS,
            "LFS object added, 7 bytes",
        ),
        (
            file("a.psd", hunk("---", [LFS, OID, "size 7"], new=0), status=Status.DELETED),
            Reason.LFS,
            "LFS object removed, 7 bytes",
        ),
        (
            file("a.sh", status=Status.MODE, new_mode="100755", new_oid=OLD),
            Reason.MODE,
            "mode 100644 -> 100755",
        ),
        (file("a", status=Status.ADDED, old_mode=ABSENT), Reason.EMPTY, "empty file"),
        (file("a", status=Status.DELETED, new_mode=ABSENT), Reason.EMPTY, "empty file"),
        (file("b", status=Status.RENAMED, old_path="a"), Reason.RENAME, "content unchanged"),
        (file("b", status=Status.COPIED, old_path="a"), Reason.COPY, "content unchanged"),
        (
            file("b", status=Status.RENAMED, old_path="a", new_mode="100755"),
            Reason.RENAME,
            "content unchanged, mode 100644 -> 100755",
        ),
        (
            file("a.py", hunk("--++", ["a", "b", "a\r", "b\r"])),
            Reason.LINE_ENDINGS,
            "line endings alone changed, LF to CRLF, 2 lines",
        ),
        (
            file("a.py", hunk("-+ -+", ["a\r", "a", "kept", "b\r", "b"])),
            Reason.LINE_ENDINGS,
            "line endings alone changed, CRLF to LF, 2 lines",
        ),
    ],
)  # fmt: skip
def test_folds(given: FileChange, reason: Reason, says: str) -> None:
    assert folded(given) == (reason, says)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(file("a.py", hunk("-+", ["a", "b"])), id="a plain edit"),
        pytest.param(file("a.py", hunk("-+", ["a ", "a"])), id="white space at the end"),
        pytest.param(
            file("a.py", hunk("- ++", ["a", "b", "a\r", "b\r"], old=1)), id="more than endings"
        ),
        pytest.param(
            file("a.py", hunk("- -++", ["x", "kept", "y", "x\r", "y\r"])), id="a line has moved"
        ),
        pytest.param(
            file("a.py", hunk("-+-+", ["a", "a\r", "b\r", "b"])), id="endings go both ways"
        ),
        pytest.param(
            file(
                "a.py",
                Hunk(
                    1,
                    1,
                    1,
                    1,
                    "",
                    (Line(1, None, "a"), Line(None, 1, "a\r", ends_without_newline=True)),
                ),
            ),
            id="the last line feed went too",
        ),
        pytest.param(
            file("a.psd", hunk("---+++", [LFS, OID, "size 7", "import os", "os.x()", "pass"])),
            id="a pointer that became a text",
        ),
        pytest.param(
            file("a.psd", hunk("---+++", ["import os", "os.x()", "pass", LFS, OID, "size 7"])),
            id="a text that became a pointer",
        ),
        pytest.param(
            file("a.py", hunk("++++", [LFS, OID, "size 7", "evil()"], old=0), status=Status.ADDED),
            id="a pointer with more behind it",
        ),
        pytest.param(
            file("a.py", hunk("-+-+-+", [LFS, LFS, OID, OTHER, "size 1", "size 2"], old=9, new=9)),
            id="the form of a pointer further down",
        ),
        pytest.param(
            file(
                "lib",
                hunk("-", ["import os"]),
                hunk("+", ["Subproject commit x"]),
                status=Status.TYPE,
                new_mode=LINK,
            ),
            id="a file that became a submodule",
        ),
        pytest.param(file("a.py", counts=(3, 1), defect="unreadable"), id="a file not read"),
    ],
)
def test_has_to_be_read(given: FileChange) -> None:
    assert folded(given) is None
