"""Whether a suggestion, applied with a click, leaves a file that still parses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from pr_review.domain.diff import Change
from pr_review.domain.finding import Finding, Judged
from pr_review.errors import SnapshotError

Blobs = Callable[[Sequence[str]], Mapping[str, bytes]]


class Parser(Protocol):
    """Parses source in whatever language its path tells."""

    def faults(self, path: str, text: bytes) -> int | None:
        """How many places of a file its language does not allow; None where that cannot be
        told. Never raises."""


def applicable(
    judged: Sequence[Judged], change: Change, blobs: Blobs, parser: Parser
) -> tuple[Judged, ...]:
    """The same findings, without the suggestions that break their file at the head.

    A suggestion is kept if the file then has no more faults than before, or if nothing can
    tell (no grammar for it, a file over the parser's bounds). One whose lines cannot be had, as
    where the file's content is not there, is not offered.
    """
    offers = {item.finding.path for item in judged if _offers(item)}
    oids = {file.path: file.new_oid for file in change.files if file.path in offers}
    contents = _contents(blobs, sorted(set(oids.values())))
    before: dict[str, int | None] = {}
    return tuple(
        item if not _offers(item) or _applies(item.finding, oids, contents, parser, before)
        else replace(item, finding=replace(item.finding, suggestion=None))
        for item in judged
    )  # fmt: skip


def _offers(item: Judged) -> bool:
    return item.place.tells and item.finding.suggestion is not None


def _contents(blobs: Blobs, oids: Sequence[str]) -> Mapping[str, bytes]:
    """Empty where the source cannot be reached any more: a click less is no reason to fail."""
    try:
        return blobs(oids) if oids else {}
    except SnapshotError:
        return {}


def _applies(
    finding: Finding,
    oids: Mapping[str, str],
    contents: Mapping[str, bytes],
    parser: Parser,
    before: dict[str, int | None],
) -> bool:
    path = finding.path
    text = contents.get(oids.get(path, ""))
    after = None if text is None else applied(finding, text)
    if text is None or after is None:
        return False
    if path not in before:
        before[path] = parser.faults(path, text)
    had = before[path]
    if had is None:
        return True
    has = parser.faults(path, after)
    return has is not None and has <= had


def applied(finding: Finding, text: bytes) -> bytes | None:
    """The file with the suggestion in place of the finding's lines; None if it has not so many
    lines. An empty suggestion removes them."""
    lines = text.split(b"\n")
    start, end = finding.start, finding.end
    if start is None or end is None or finding.suggestion is None or end > len(lines):
        return None
    ends = b"\r" if lines[start - 1].endswith(b"\r") else b""
    new = [line.encode() + ends for line in finding.suggestion.split("\n")]
    return b"\n".join([*lines[: start - 1], *(new if finding.suggestion else []), *lines[end:]])
