"""A change read from patch text alone (`snapshot --patch`): no commits, no blobs.

The one place where paths come from patch headers. What a header does not tell stays empty.
Extended headers: https://git-scm.com/docs/git-diff#generate_patch_text_with_p
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pr_review.change.hunks import SECTION, count, hunks, sections
from pr_review.domain.diff import ABSENT_MODE, Change, FileChange, Hunk, SourceKind, Status
from pr_review.domain.text import quoted_path
from pr_review.errors import SnapshotError

_NO_OID = "0" * 40
_REGULAR = "100644"
_COMBINED = re.compile(r"^diff --(?:cc|combined) ", re.MULTILINE)
_SUBMODULE_LOG = re.compile(
    r"^Submodule (?P<path>.+) (?P<old>[0-9a-f]{7,64})\.{2,3}(?P<new>[0-9a-f]{7,64})(?: \(.*\))?:?$",
    re.MULTILINE,
)
_MODE = re.compile("[0-7]{6}")
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_LETTERS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


class PatchText:
    """A `ChangeSource` over patch text; it has no blobs."""

    def __init__(self, text: bytes, *, name: str, max_bytes: int) -> None:
        """`text` is the patch as read; `name` says in errors where it came from."""
        self._text = text
        self._name = name
        self._max_bytes = max_bytes

    def change(self) -> Change:
        """Raises `SnapshotError` if the text is no diff, or a combined one."""
        oversize = len(self._text) > self._max_bytes
        text = self._text.decode("utf-8", "surrogateescape")
        found = tuple(self._once(self._files(text)))
        if oversize:
            found = within(found, self._max_bytes)
        return Change(SourceKind.PATCH, "", "", found, len(self._text), oversize)

    def blobs(self, oids: object) -> dict[str, bytes]:  # noqa: ARG002 - the port's signature
        """A patch has no blobs."""
        return {}

    def head_files(self) -> dict[str, str]:
        """Nor has it a commit."""
        return {}

    def touched_since(self, commit: str) -> dict[str, tuple[range, ...]]:
        """Always raises `SnapshotError`: there is nothing to compare with."""
        raise SnapshotError(
            f"{self._name} is a patch, which cannot tell what changed since {commit[:12]}",
            remedy="compare commits of a clone: give --base and --head instead of --patch",
        )

    def _once(self, files: Iterable[FileChange]) -> Iterator[FileChange]:
        """Every path once: git tells a change of type as a file deleted and one added."""
        seen: dict[str, FileChange] = {}
        for file in files:
            before = seen.get(file.path)
            if before is None:
                seen[file.path] = file
            elif before.status is Status.DELETED and file.status is Status.ADDED:
                seen[file.path] = _of_another_type(before, file)
            else:
                raise SnapshotError(
                    f"{self._name} names {quoted_path(file.path)} twice",
                    remedy="give one diff, such as that of git diff BASE...HEAD",
                )
        yield from seen.values()

    def _files(self, text: str) -> Iterator[FileChange]:
        if not text.strip():
            return
        if _COMBINED.search(text):
            raise SnapshotError(
                f"{self._name} is a combined diff of a merge, which hides what changed",
                remedy="use git diff BASE...HEAD, or git show --diff-merges=first-parent",
            )
        found = False
        for section in sections(text) if SECTION in text else _plain_sections(text):
            found = True
            yield from _section(section)
        for match in _SUBMODULE_LOG.finditer(text):
            found = True
            yield _submodule(match)
        if not found:
            raise SnapshotError(
                f"{self._name} is not a diff: no file header in {len(self._text):,} bytes",
                remedy="give the output of git diff",
            )


def _of_another_type(before: FileChange, after: FileChange) -> FileChange:
    return replace(
        after,
        status=Status.TYPE,
        old_mode=before.old_mode,
        old_oid=before.old_oid,
        binary=before.binary or after.binary,
        deletions=before.deletions,
        hunks=(*before.hunks, *after.hunks),
        defect=before.defect or after.defect,
    )


def within(files: Sequence[FileChange], max_bytes: int) -> tuple[FileChange, ...]:
    """The files with the hunks of the smallest ones alone, as far as `max_bytes` reach."""
    room = max_bytes
    kept = set()
    sizes = [sum(len(line.text) + 2 for line in file.lines) for file in files]
    for index in sorted(range(len(files)), key=lambda i: sizes[i]):
        room -= sizes[index]
        if room >= 0:
            kept.add(index)
    return tuple(f if i in kept else replace(f, hunks=()) for i, f in enumerate(files))


def sections_by_path(patch: str) -> dict[str, tuple[str, ...]]:
    """The sections of git's patch text by the path they lead to; text that is no patch has none.

    A change of type is two sections of one path.
    """
    found: dict[str, tuple[str, ...]] = {}
    for section in sections(patch):
        header = _header(section)
        path = header.new or header.old
        if path is not None:
            found[path] = (*found.get(path, ()), section)
    return found


def _plain_sections(text: str) -> Iterator[str]:
    """Sections of a diff without git's headers: `--- `, `+++ `, then a hunk."""
    starts = [
        m.start() for m in re.finditer(r"^--- [^\n]*\n\+\+\+ [^\n]*\n@@ -", text, re.MULTILINE)
    ]
    for start, end in pairwise([*starts, len(text)]):
        yield text[start:end]


@dataclass(slots=True)
class _Header:
    old: str | None = None
    new: str | None = None
    old_mode: str = ""
    new_mode: str = ""
    old_oid: str = _NO_OID
    new_oid: str = _NO_OID
    status: Status = Status.MODIFIED
    binary: bool = False


def _section(section: str) -> Iterator[FileChange]:
    header = _header(section)
    path = header.new or header.old
    if path is None:
        return
    old_path = header.old if header.status in (Status.RENAMED, Status.COPIED) else None
    defect = ""
    parsed: tuple[Hunk, ...] = ()
    if not header.binary:
        try:
            parsed = hunks(section)
        except ValueError as error:
            defect = str(error)
        if not parsed and header.old_oid.strip("0") and header.new_oid.strip("0"):
            defect = defect or _missing(header)
    added, removed = count(parsed)
    if (header.status is Status.ADDED and removed) or (header.status is Status.DELETED and added):
        defect, parsed = "its lines are of both sides, and its header of one", ()
    if defect:
        added, removed = _claimed(section)
    if header.status is Status.MODIFIED and header.old_oid == header.new_oid and not parsed:
        header.status = Status.MODE if header.old_mode != header.new_mode else Status.MODIFIED
    yield FileChange(
        path, old_path, header.status, header.old_mode or _REGULAR, header.new_mode or _REGULAR,
        header.old_oid, header.new_oid, header.binary, added, removed, parsed, defect,
    )  # fmt: skip


def _missing(header: _Header) -> str:
    """Both contents are named and differ, yet no line says how: the patch was cut."""
    return "its hunks are missing" if header.old_oid != header.new_oid else ""


def _header(section: str) -> _Header:
    header = _Header()
    lines = section.split("\n")
    if lines[0].startswith(SECTION):
        header.old, header.new = _git_line(lines[0].removeprefix(SECTION))
    for line in lines:
        if line.startswith("@@ -"):
            break
        _read(header, line)
    if header.status is Status.ADDED:
        header.old_mode = ABSENT_MODE
    if header.status is Status.DELETED:
        header.new_mode = ABSENT_MODE
    return header


def _read(header: _Header, line: str) -> None:
    word, _, rest = line.partition(" ")
    match word:
        case "---":
            header.old = _side(rest, "a/") or header.old
            if _name(rest) == "/dev/null":
                header.status = Status.ADDED
        case "+++":
            header.new = _side(rest, "b/") or header.new
            if _name(rest) == "/dev/null":
                header.status, header.new = Status.DELETED, header.old
        case "index":
            _index(header, rest)
        case "Binary" | "GIT":
            header.binary = header.binary or line.startswith(("Binary files ", "GIT binary patch"))
        case "old" | "new" | "deleted" | "rename" | "copy" | "similarity":
            _extended(header, line)
        case _:
            return


def _extended(header: _Header, line: str) -> None:
    for prefix, status in (
        ("new file mode ", Status.ADDED),
        ("deleted file mode ", Status.DELETED),
    ):
        if line.startswith(prefix):
            header.status = status
            header.old_mode = header.new_mode = _mode(line.removeprefix(prefix))
    if line.startswith("old mode "):
        header.old_mode = _mode(line.removeprefix("old mode "))
    elif line.startswith("new mode "):
        header.new_mode = _mode(line.removeprefix("new mode "))
    for verb, status in (("rename", Status.RENAMED), ("copy", Status.COPIED)):
        if line.startswith(f"{verb} from "):
            header.status, header.old = status, unquote(line.removeprefix(f"{verb} from "))
        elif line.startswith(f"{verb} to "):
            header.status, header.new = status, unquote(line.removeprefix(f"{verb} to "))


def _mode(text: str) -> str:
    """Six digits, or nothing: a mode stands in the prompt in our own voice."""
    return text if _MODE.fullmatch(text) else ""


def _index(header: _Header, rest: str) -> None:
    match = re.match(r"([0-9a-f]+)\.\.([0-9a-f]+)(?: ([0-7]{6}))?$", rest)
    if match:
        header.old_oid, header.new_oid = match[1], match[2]
        if match[3]:
            header.old_mode = header.new_mode = match[3]


def _git_line(rest: str) -> tuple[str | None, str | None]:
    """Both paths of `a/X b/X`; ambiguous only where they differ, and then other headers tell."""
    if rest.startswith('"'):
        old, _, new = _split_quoted(rest)
        return _side(old, "a/"), _side(new, "b/")
    half = (len(rest) - 1) // 2
    if rest[half : half + 1] == " " and rest[2:half] == rest[half + 3 :]:
        return rest[2:half], rest[half + 3 :]
    old, separator, new = rest.partition(" b/")
    if separator:
        return _side(old, "a/"), new
    old, separator, new = rest.partition(' "b/')
    return (_side(old, "a/"), _side('"b/' + new, "b/")) if separator else (None, None)


def _split_quoted(rest: str) -> tuple[str, str, str]:
    match = re.match(r'("(?:[^"\\]|\\.)*") ', rest)
    return (match[1], " ", rest[match.end() :]) if match else (rest, "", rest)


def _name(text: str) -> str:
    """A path of a `---` or `+++` line: git puts a tab behind a name that holds a space, other
    tools a tab and a date; a tab inside a name is always quoted.
    """
    return unquote(text.split("\t", 1)[0])


def _side(text: str, prefix: str) -> str | None:
    name = _name(text)
    return None if name == "/dev/null" else name.removeprefix(prefix)


def unquote(text: str) -> str:
    """A C-quoted path as git prints it (`"docs/na\\303\\257ve.md"`), or the text as it is."""
    if not (len(text) > 1 and text.startswith('"') and text.endswith('"')):
        return text
    out = bytearray()
    position = 0
    inner = text[1:-1]
    for match in _ESCAPE.finditer(inner):
        out += inner[position : match.start()].encode("utf-8", "surrogateescape")
        code = match[1]
        out.append(int(code, 8) & 0xFF if len(code) == 3 else _LETTERS.get(code, ord(code) & 0xFF))
        position = match.end()
    out += inner[position:].encode("utf-8", "surrogateescape")
    return out.decode("utf-8", "surrogateescape")


def _claimed(section: str) -> tuple[int, int]:
    """Changed lines of hunks that do not parse: what stands there, for the account."""
    body = section[section.find("\n@@ -") + 1 :].split("\n")
    return sum(x.startswith("+") for x in body), sum(x.startswith("-") for x in body)


def _submodule(match: re.Match[str]) -> FileChange:
    old, new = match["old"], match["new"]
    status = Status.MODIFIED
    if not old.strip("0"):
        status = Status.ADDED
    elif not new.strip("0"):
        status = Status.DELETED
    return FileChange(
        match["path"], None, status,
        ABSENT_MODE if status is Status.ADDED else "160000",
        ABSENT_MODE if status is Status.DELETED else "160000",
        old, new, binary=False, additions=0, deletions=0,
    )  # fmt: skip
