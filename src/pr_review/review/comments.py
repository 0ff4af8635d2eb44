"""How one finding reads, inline and in the body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pr_review.domain.finding import MOST_SAID, Finding, Judged, Place
from pr_review.domain.review import Comment, Told
from pr_review.domain.words import counted, line_numbers, old_side
from pr_review.review.links import Links
from pr_review.review.marker import comment_marker
from pr_review.review.neutral import block, cell, code, neutral, neutral_line, unescaped

_TITLE = re.compile(r"\*\*\w+\*\*: (.+)")
_ADDRESS = re.compile(r"https?://[^\s()<>\[\]\\]+")
_MOST_PLACES = 10
# a finding that takes more than a screen to say is not read; the JSON report holds all of it
_LONGEST_BODY, _LONGEST_NOTE = 2_000, 600
_WIDEST_PLACE = 32
_NOWHERE = Links()


def comment(judged: Judged, fingerprints: Sequence[str] = (), links: Links = _NOWHERE) -> Comment:
    """The inline comment of a finding that the judge placed inline. A pattern lists its other
    places; with `fingerprints` the last line is hidden and names all of them."""
    finding = judged.finding
    assert finding.start is not None
    assert finding.end is not None
    parts = [
        headline(finding),
        neutral(finding.body, limit=_LONGEST_BODY),
        _places(judged, links),
        _merged(judged, links),
        "" if finding.suggestion is None else block(finding.suggestion, "suggestion"),
        f"<sub>{_said(finding)}</sub>",
        comment_marker(fingerprints) if fingerprints else "",
    ]
    return Comment(
        path=finding.path,
        line=finding.end,
        side=finding.side,
        body="\n\n".join(part for part in parts if part),
        start_line=finding.start if finding.start != finding.end else None,
    )


def entry(judged: Judged, links: Links = _NOWHERE) -> str:
    """A finding in full, for the body of the review; its suggestion can be read, not applied."""
    finding = judged.finding
    suggestion = finding.suggestion
    noted = judged.place is Place.NOTED
    reason = neutral_line(judged.reason)
    why = f" · {'' if noted else 'not inline: '}{reason}" if reason else ""
    parts = [
        f"{headline(finding)}<br>{where(finding, links)}",
        neutral(finding.body, limit=_LONGEST_NOTE if noted else _LONGEST_BODY),
        _places(judged, links),
        _merged(judged, links),
        "" if suggestion is None else f"Instead of these lines:\n\n{block(suggestion)}",
        f"<sub>{_said(finding)}{why}</sub>",
    ]
    return "\n\n".join(part for part in parts if part)


def headline(finding: Finding) -> str:
    """`**High**: its title`, which `title` reads again."""
    return f"**{finding.severity.label.capitalize()}**: {neutral_line(finding.title)}"


def row(judged: Judged, links: Links = _NOWHERE) -> str:
    """A finding as a row of the table of findings: two columns, since a phone has no room for
    more. A long path is shortened; the comment or the entry of the finding has it in full."""
    finding, also = judged.finding, len(judged.also)
    more = f" and {counted(also, 'more place')}" if also else ""
    place = where(finding, links, widest=_WIDEST_PLACE)
    return f"| {finding.severity.label.capitalize()} | {cell(finding.title)}<br>{place}{more} |"


def _places(judged: Judged, links: Links) -> str:
    """The other places of a pattern as a list, the first few of them."""
    also = judged.also
    if not also:
        return ""
    places = counted(len(also), "other place")
    ours = judged.finding.title
    lines = (
        where(other, links) + (f": {neutral_line(other.title)}" if other.title != ours else "")
        for other in also[:_MOST_PLACES]
    )
    return _list(f"The same in {places}:", lines, len(also) - _MOST_PLACES)


def _merged(judged: Judged, links: Links) -> str:
    """What was taken for the same though its title differs: whoever reads it may see that it is
    not, while the report holds it in full."""
    merged = judged.merged
    if not merged:
        return ""
    lines = (_other(judged.finding, other, links) for other in merged[:MOST_SAID])
    return _list("Also said, and taken for the same:", lines, len(merged) - MOST_SAID)


def _list(head: str, lines: Iterable[str], more: int) -> str:
    rest = [f"- and {more:,} more, which the report lists"] if more > 0 else []
    return "\n".join([f"{head}\n", *(f"- {line}" for line in lines), *rest])


def _other(told: Finding, other: Finding, links: Links) -> str:
    """The title of one that was merged and who said it, with its lines if they are others."""
    sources = neutral_line(other.said_by)
    here = (other.path, other.side, other.start, other.end)
    same = here == (told.path, told.side, told.start, told.end)
    return f"{neutral_line(other.title)} ({sources}{'' if same else f', {where(other, links)}'})"


def title(body: str) -> str:
    """The title in a comment of ours, as its source said it; empty where somebody changed it."""
    match = _TITLE.match(body)
    return unescaped(match[1].strip()) if match else ""


def told(earlier: Told, links: Links = _NOWHERE) -> str:
    """One line on a finding of an earlier review, with a link to where it is told in full."""
    link = linked("told earlier", earlier.url)
    parts = [
        f"**{earlier.severity.label.capitalize()}**",
        f" {where(earlier, links)}" if earlier.path else "",
        f": {neutral_line(earlier.title)}" if earlier.title else "",
        f" ({link}{'; ' if earlier.reason else ''}{earlier.reason})",
    ]
    return "".join(parts)


def refuted(judged: Judged, links: Links = _NOWHERE) -> str:
    """One line on a finding that the verify pass refuted, and why."""
    finding, reason = judged.finding, neutral_line(judged.reason)
    about = f"{where(finding, links)}: {neutral_line(finding.title)}"
    others = [_other(finding, other, links) for other in judged.merged[:MOST_SAID]]
    if more := len(judged.merged) - len(others):
        others.append(f"{more:,} more")
    merged = f"; also said, and taken for the same: {', '.join(others)}" if others else ""
    return (f"{about} ({reason})" if reason else about) + merged


def taken(judged: Judged, other: Finding, links: Links = _NOWHERE) -> str:
    """One line on what was taken for the same as a finding that is told elsewhere."""
    said = f"{neutral_line(other.title)} ({neutral_line(other.said_by)})"
    return f"{where(other, links)}: {said}, taken for: {neutral_line(judged.finding.title)}"


def linked(text: str, address: str) -> str:
    """Markdown of ours as a link; without one where the address is none."""
    return f"[{text}]({address})" if _ADDRESS.fullmatch(address) else text


def where(finding: Finding | Told, links: Links = _NOWHERE, *, widest: int = 0) -> str:
    """`path:line` as code, linked where there is an address; the old side is named, since its
    numbers are not the new file's. With `widest`, folders of a longer path give way."""
    lines = line_numbers(finding)
    path = _shortened(finding.path, widest - len(lines)) if widest else finding.path
    return linked(code(path + lines), links.to(finding)) + old_side(finding)


def _shortened(path: str, widest: int) -> str:
    """`…/deep/file.py`: the last folders that fit; `…e_of_a_file.py` if the name alone does not."""
    if len(path) <= widest:
        return path
    folders = path[2 - widest :]
    _, slash, rest = folders.partition("/")
    return f"…/{rest}" if slash else f"…{path[1 - widest :]}"


def _said(finding: Finding) -> str:
    sources = neutral_line(finding.said_by)
    category = neutral_line(finding.category, limit=60)
    return f"{category} · said by {sources} · confidence {finding.confidence.label}"
