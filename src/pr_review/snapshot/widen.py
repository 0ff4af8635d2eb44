"""Context beyond the diff: which unchanged lines help a reader of a changed one.

Asymmetric: more before a change than after it. Dynamic: grown to the start of the enclosing
definition, or, where that is too far, to its signature. The lines nearby that use the same
names come along: measured on real pull requests, they and the signatures give more of what a
reviewer needs for their tokens than any window of fixed size.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pr_review.domain.diff import FileChange, Hunk, Line
from pr_review.snapshot.outline import Outline, Scope, ScopeKind
from pr_review.snapshot.pieces import Run
from pr_review.snapshot.policy import DIFF_CONTEXT, SnapshotPolicy

# Lines of one signature, decorators included, and of lines that share names with a piece.
_SIGNATURE_LINES = 12
_NAMED_LINES = 12
# How far from a piece its names are looked for, and lines that are looked at for them.
_REACH = 400
_MOST_CHARACTERS = 300

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{2,}", re.ASCII)
# Words of languages, not of programs: they join no two lines.
_KEYWORDS = frozenset(
    """
    and any args async await begin bool boolean break byte case cast catch char chan class cls
    const constructor continue data def default defer del delete do double elif else elsif end
    ensure enum except export extends extern false final finally float fmt for foreach from func
    function global goto if impl implements import in include inline instanceof int interface
    into is lambda let long loop map match mod module mut namespace new next nil none not null
    number object of operator or override package pass private proc protected pub public raise
    range readonly ref require rescue return select self short signed sizeof static str string
    struct super switch template then this throw throws trait true try type typedef typeof
    undefined union unless unsafe unsigned until use using val var void volatile when where while
    with yield None True False Self Ok Err Some err error ctx
    """.split()
)


@dataclass(frozen=True, slots=True)
class Window:
    """Lines that help to read one run, as new-side numbers: ascending, `named` best first.

    `signature` holds the first lines of the definitions around it, `named` lines of the
    innermost one that use the same names, `near` what stands next to it beyond the diff's own
    context, `scope` the way up to the start of the innermost definition.
    """

    signature: tuple[int, ...] = ()
    named: tuple[int, ...] = ()
    near: tuple[int, ...] = ()
    scope: tuple[int, ...] = ()

    @property
    def lines(self) -> tuple[int, ...]:
        """All of them."""
        return (*self.signature, *self.named, *self.near, *self.scope)


class Widener:
    """Finds the windows of one file; `text` are the lines of its new side."""

    def __init__(
        self, file: FileChange, text: Sequence[str], outline: Outline, policy: SnapshotPolicy
    ) -> None:
        self._lines = list(file.lines)
        self._text = text
        self._outline = outline
        self._policy = policy
        self._names = _Names(text)

    def window(self, run: Run) -> Window:
        around = self._around(run)
        low = run.start - DIFF_CONTEXT - self._policy.lines_before
        high = run.last_new + DIFF_CONTEXT + self._policy.lines_after
        return Window(
            tuple(sorted({n for scope in around for n in _signature(scope)})),
            tuple(self._named(run, around)),
            tuple(range(max(low, 1), min(high, len(self._text)) + 1)),
            tuple(self._grown(run, around)),
        )

    def _around(self, run: Run) -> Sequence[Scope]:
        """The definitions around a run; none where fixed lines alone are asked for."""
        if not self._policy.dynamic:
            return ()
        return self._outline.around(min(run.start, len(self._text)))

    def _grown(self, run: Run, around: Sequence[Scope]) -> Iterable[int]:
        """From the start of the innermost definition to the run, if that is not too far."""
        if not around:
            return ()
        start = around[-1].start
        return range(start, run.start) if run.start - start <= self._policy.scope_lines else ()

    def _named(self, run: Run, around: Sequence[Scope]) -> list[int]:
        """Lines of the innermost definition that share a name with the run, best first: near
        ones, and those that share a name that few lines of it hold.
        """
        if not around or around[-1].kind is ScopeKind.TYPE:
            return []
        wanted: set[str] = set()
        for line in self._lines[run.first : run.last + 1]:
            if line.changed:
                wanted.update(_words(line.text))
        low, high = max(run.start - _REACH, 1), min(run.end + _REACH, len(self._text))
        self._names.read(low, high)
        before = range(max(around[-1].head + 1, low), run.start)
        after = range(run.end + 1, min(around[-1].end, high) + 1)
        rarity: dict[int, int] = {}
        for word in wanted:
            above, below = self._names.at(word, before), self._names.at(word, after)
            count = len(above) + len(below)
            for number in (*above[-_NAMED_LINES:], *below[:_NAMED_LINES]):
                rarity[number] = min(rarity.get(number, count), count)

        def key(number: int) -> tuple[int, int]:
            return max(run.start - number, number - run.end) * rarity[number], number

        return sorted(rarity, key=key)[:_NAMED_LINES]


class _Names:
    """The lines that hold a name: an index, since a hostile file may have runs without end."""

    def __init__(self, text: Sequence[str]) -> None:
        self._text = text
        self._lines: dict[str, list[int]] = defaultdict(list)
        self._next = 1

    def read(self, low: int, high: int) -> None:
        """Takes up the lines low..high; both never fall from one call to the next."""
        for number in range(max(low, self._next), high + 1):
            for word in _words(self._text[number - 1]):
                self._lines[word].append(number)
        self._next = max(self._next, high + 1)

    def at(self, word: str, lines: range) -> Sequence[int]:
        """Those of some lines that hold a word, ascending."""
        found = self._lines.get(word, [])
        return found[bisect_left(found, lines.start) : bisect_left(found, lines.stop)]


def _signature(scope: Scope) -> range:
    """Decorators and signature; of a long one the part from the line that holds the name."""
    start = scope.start if scope.head - scope.start < _SIGNATURE_LINES else scope.line
    return range(start, min(scope.head, start + _SIGNATURE_LINES - 1) + 1)


def _words(text: str) -> frozenset[str]:
    return frozenset(_IDENTIFIER.findall(text[:_MOST_CHARACTERS])) - _KEYWORDS


def shared_names(text: str, others: Iterable[str]) -> tuple[str, ...]:
    """The names in a text that one of the others holds, too: what makes a line `named`."""
    wanted = frozenset().union(*(_words(other) for other in others))
    return tuple(dict.fromkeys(n for n in _IDENTIFIER.findall(text) if n in wanted))


def widened(file: FileChange, text: Sequence[str], wanted: Collection[int]) -> FileChange:
    """The file with `wanted` new-side lines as further context; hunks that touch become one.

    `text` are the lines of the new side. A wanted line of a hunk changes nothing.
    """
    blocks = _Blocks()
    ordered = sorted(number for number in set(wanted) if 1 <= number <= len(text))
    position, shift, upto = 0, 0, 1
    for hunk in file.hunks:
        first = hunk.new_start + (not hunk.new_count)
        shift = hunk.old_start + (not hunk.old_count) - first
        while position < len(ordered) and ordered[position] < first:
            if ordered[position] >= upto:
                blocks.add(_context(text, ordered[position], shift))
            position += 1
        blocks.extend(hunk, first)
        upto = first + hunk.new_count
        shift += hunk.old_count - hunk.new_count
    for number in ordered[position:]:
        if number >= upto:
            blocks.add(_context(text, number, shift))
    return replace(file, hunks=tuple(blocks.hunks()))


def _context(text: Sequence[str], number: int, shift: int) -> Line:
    return Line(number + shift, number, text[number - 1])


class _Blocks:
    """Lines in order, parted where new-side numbers are missing between them."""

    def __init__(self) -> None:
        self._made: list[tuple[str, list[Line]]] = []
        self._next = -1

    def add(self, line: Line) -> None:
        assert line.new is not None
        self._part(line.new, "")
        self._made[-1][1].append(line)
        self._next = line.new + 1

    def extend(self, hunk: Hunk, first: int) -> None:
        self._part(first, hunk.section)
        self._made[-1][1].extend(hunk.lines)
        self._next = first + hunk.new_count

    def _part(self, number: int, section: str) -> None:
        if number != self._next:
            self._made.append((section, []))

    def hunks(self) -> Iterator[Hunk]:
        for section, lines in self._made:
            olds = [line.old for line in lines if line.old]
            news = [line.new for line in lines if line.new]
            yield Hunk(
                olds[0] if olds else 0, len(olds), news[0] if news else 0, len(news),
                section, tuple(lines),
            )  # fmt: skip


def agrees(file: FileChange, text: Sequence[str]) -> bool:
    """Whether some lines are the new side of a file, by every line that its hunks hold of it."""
    return all(
        line.new is None or (line.new <= len(text) and text[line.new - 1] == line.text)
        for line in file.lines
    )
