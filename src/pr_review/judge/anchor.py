"""The place of one finding: its quote decides, its line number only helps."""

from __future__ import annotations

from dataclasses import replace

from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding, Judged, Place
from pr_review.judge.lines import FileLines, Spot, distinct
from pr_review.judge.suggestion import offered

WHOLE_FILE = "about the whole file"
NO_SUCH_LINE = "its line does not exist"
OUTSIDE = "outside every hunk of the diff"
UNTOUCHED = "in code that the change does not touch"
NOT_QUOTED = "its quote does not stand in what the model received"
NOT_SENT = "its line was not among those the model received"


def anchor(finding: Finding, file: FileLines) -> Judged:
    """Places a finding inline, inside one hunk on one side, or in the body with the reason.

    The range of an inline finding is what GitHub accepts: start <= end, one side, one hunk. So
    what is shown of unchanged code, around the hunks or in a file without any, stays in the body.
    A suggestion is kept only if it replaces exactly those lines.
    """
    asked, finding = finding, ordered(finding)
    if finding.quote.strip() and not finding.deterministic:
        spot = _by_quote(finding, file)
        if spot is None:
            return _body(replace(finding, start=None, end=None), NOT_QUOTED)
    else:
        if finding.start is None or finding.end is None:
            return _body(finding, WHOLE_FILE if asked.start is asked.end is None else NO_SUCH_LINE)
        side = Side.LEFT if file.deleted else finding.side
        spot = Spot(side, finding.start, finding.end)
    return _inline(finding, spot, file)


def _inline(finding: Finding, spot: Spot, file: FileLines) -> Judged:
    narrow = _in_one_hunk(spot, file)
    if narrow is None:
        shown = spot.end in file.side(spot.side)
        place = _context_to_right(spot, file) if shown else spot
        placed = replace(finding, side=place.side, start=place.start, end=place.end)
        return _body(placed, UNTOUCHED if shown else OUTSIDE)
    if not finding.deterministic and narrow.end not in file.side(narrow.side):
        return _body(finding, NOT_SENT)
    place = _context_to_right(narrow, file)
    asked = 1 if finding.start is None or finding.end is None else finding.end - finding.start + 1
    kept = offered(finding, place, asked, file)
    placed = replace(finding, side=place.side, start=place.start, end=place.end, suggestion=kept)
    return Judged(placed, Place.INLINE)


def _body(finding: Finding, reason: str) -> Judged:
    return Judged(replace(finding, suggestion=None), Place.BODY, reason)


def ordered(finding: Finding) -> Finding:
    """The finding with 1 <= start <= end, or with neither if both are no line numbers.

    One number alone stands for both.
    """
    numbers = [number for number in (finding.start, finding.end) if number is not None]
    if max(numbers, default=0) < 1:
        return replace(finding, start=None, end=None)
    return replace(finding, start=max(1, min(numbers)), end=max(numbers))


def _by_quote(finding: Finding, file: FileLines) -> Spot | None:
    """Where the quote stands, nearest to where the finding says it does."""
    spots = file.quoted(finding.quote)
    start, end = finding.start, finding.end
    if start is None or end is None:
        return spots[0] if len(spots) == 1 and distinct(finding.quote) else None
    if not distinct(finding.quote):
        spots = tuple(spot for spot in spots if not spot.distance(start, end))
    best = min(
        spots,
        key=lambda s: (s.distance(start, end), s.side is not finding.side, s.start),
        default=None,
    )
    if best and best.side is finding.side and start <= best.start and best.end <= end:
        return Spot(best.side, start, end)
    return best


def _in_one_hunk(spot: Spot, file: FileLines) -> Spot | None:
    """The part of a spot that one hunk holds: all of it, or its end, or its start alone."""
    # GitHub refuses the whole review for one comment whose lines are not in one hunk:
    # https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request
    hunk = file.hunk(spot.side, spot.end)
    if hunk is not None:
        return spot if spot.start in hunk else replace(spot, start=spot.end)
    if file.hunk(spot.side, spot.start) is not None:
        return replace(spot, end=spot.start)
    return None


def _context_to_right(spot: Spot, file: FileLines) -> Spot:
    """An unchanged line is commented on its new side, where GitHub shows it."""
    if spot.side is Side.RIGHT:
        return spot
    lines = [file.left.get(number) for number in range(spot.start, spot.end + 1)]
    new = [line.new for line in lines if line is not None and line.new is not None]
    return Spot(Side.RIGHT, new[0], new[-1]) if len(new) == len(lines) else spot
