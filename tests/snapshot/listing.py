"""Changes built line by line, for tests of single stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pr_review.domain.diff import Change, FileChange, Hunk, Line, SourceKind, Status
from pr_review.snapshot.outline import Outline
from pr_review.snapshot.policy import Screening, SnapshotPolicy
from pr_review.snapshot.ports import SecretMatch, SecretScanner
from pr_review.snapshot.prepare import Prepared, Tools, prepare
from pr_review.snapshot.reviewed import Touched
from pr_review.snapshot.screen import screen_texts

OLD, NEW = "1" * 40, "2" * 40


def screen_text(text: str, scanner: SecretScanner) -> str:
    """One free text as it would be sent."""
    return screen_texts([text], scanner, Screening.REDACT)[0]


class NoSecrets:
    """A scanner for tests of other things than screening: it finds nothing."""

    def scan(self, texts: Sequence[str]) -> list[SecretMatch]:
        return []


class Words:
    """A counter whose counts one can work out by hand: words and marks between blanks."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def lines(signs: str, texts: Sequence[str], old: int, new: int) -> tuple[Line, ...]:
    """Lines with these signs and texts, numbered on from `old` and `new`."""
    made = []
    for sign, text in zip(signs, texts, strict=True):
        made.append(Line(old if sign in " -" else None, new if sign in " +" else None, text))
        old += sign in " -"
        new += sign in " +"
    return tuple(made)


def hunk(
    signs: str, texts: Sequence[str], *, old: int = 1, new: int = 1, section: str = ""
) -> Hunk:
    """One hunk: a sign and a text for each of its lines."""
    return Hunk(
        old, sum(s in " -" for s in signs), new, sum(s in " +" for s in signs), section,
        lines(signs, texts, old, new),
    )  # fmt: skip


def file(
    path: str, *hunks: Hunk, status: Status = Status.MODIFIED, old_path: str | None = None,
    old_mode: str = "100644", new_mode: str = "100644", old_oid: str = OLD, new_oid: str = NEW,
    binary: bool = False, defect: str = "", counts: tuple[int, int] | None = None,
) -> FileChange:  # fmt: skip
    """A changed file; counts come from its hunks unless they are given."""
    every = [line for h in hunks for line in h.lines]
    added, removed = counts or (sum(x.added for x in every), sum(x.removed for x in every))
    return FileChange(
        path, old_path, status, old_mode, new_mode, old_oid, new_oid, binary, added, removed,
        hunks, defect,
    )  # fmt: skip


def added(path: str, count: int, text: str = "value = {}") -> FileChange:
    """A new file of `count` lines."""
    texts = [text.format(number) for number in range(1, count + 1)]
    made = Hunk(0, 0, 1, count, "", lines("+" * count, texts, 0, 1))
    return file(path, made, status=Status.ADDED, old_mode="000000", old_oid="0" * 40)


def change(*files: FileChange, oversize: bool = False, generated: Sequence[str] = ()) -> Change:
    return Change(
        SourceKind.GIT, "b" * 40, "h" * 40, files, 1, oversize, frozenset(generated)
    )  # fmt: skip


@dataclass(frozen=True)
class Memory:
    """A source of contents by object id, which keeps every question it was asked."""

    contents: Mapping[str, bytes] = field(default_factory=dict)
    head: Mapping[str, str] = field(default_factory=dict)
    asked: list[list[str]] = field(default_factory=list)

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        self.asked.append(list(oids))
        return {oid: self.contents[oid] for oid in oids if oid in self.contents}

    def head_files(self) -> Mapping[str, str]:
        return self.head


class NoSyntax:
    """A reader that knows no language: structure comes from indentation."""

    late = False

    def knows(self, path: str) -> bool:
        return False

    def outline(self, path: str, text: bytes, used: Sequence[range] = ()) -> Outline | str:
        raise AssertionError(path)


def tools(
    blobs: Mapping[str, bytes] | None = None,
    *,
    late: Callable[[], bool] = lambda: False,
    scanner: SecretScanner | None = None,
    touched: Touched | None = None,
) -> Tools:
    return Tools(Memory(blobs or {}), NoSyntax(), scanner or NoSecrets(), late, touched)


def prepared(
    given: Change, policy: SnapshotPolicy | None = None, blobs: Mapping[str, bytes] | None = None
) -> Prepared:
    """The change prepared without a scanner."""
    return prepare(given, policy or SnapshotPolicy(), tools(blobs))
