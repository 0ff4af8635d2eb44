"""How one finding reads, inline and in the body."""

from __future__ import annotations

import html
import re

from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding, Judged
from pr_review.domain.review import Comment, Told
from pr_review.review.marker import comment_marker
from pr_review.review.neutral import block, cell, code, neutral, neutral_line

_TITLE = re.compile(r"\*\*\w+\*\*: (.+)")
_ADDRESS = re.compile(r"https?://[^\s()<>\[\]\\]+")


def comment(judged: Judged, fingerprint: str = "") -> Comment:
    """The inline comment of a finding that the judge placed inline; its last line is hidden and
    names the finding, if there is a fingerprint."""
    finding = judged.finding
    assert finding.start is not None
    assert finding.end is not None
    parts = [
        f"**{finding.severity.label.capitalize()}**: {neutral_line(finding.title)}",
        neutral(finding.body),
        "" if finding.suggestion is None else block(finding.suggestion, "suggestion"),
        f"<sub>{_said(finding)}</sub>",
        comment_marker(fingerprint) if fingerprint else "",
    ]
    return Comment(
        path=finding.path,
        line=finding.end,
        side=finding.side,
        body="\n\n".join(part for part in parts if part),
        start_line=finding.start if finding.start != finding.end else None,
    )


def entry(judged: Judged) -> str:
    """A finding in full, for the body of the review; its suggestion can be read, not applied."""
    finding = judged.finding
    suggestion = finding.suggestion
    severity = finding.severity.label.capitalize()
    why = f" · not inline: {judged.reason}" if judged.reason else ""
    parts = [
        f"**{severity}** {where(finding)}: {neutral_line(finding.title)}",
        neutral(finding.body),
        "" if suggestion is None else f"Instead of these lines:\n\n{block(suggestion)}",
        f"<sub>{_said(finding)}{why}</sub>",
    ]
    return "\n\n".join(part for part in parts if part)


def row(judged: Judged) -> str:
    """A finding as a row of the table of findings."""
    finding = judged.finding
    said = cell(", ".join(finding.sources))
    return f"| {finding.severity.label} | {where(finding)} | {cell(finding.title)} | {said} |"


def title(body: str) -> str:
    """The title in a comment of ours, as its source said it; empty where somebody changed it."""
    match = _TITLE.match(body)
    if match is None:
        return ""
    text = html.unescape(match[1].strip()).replace("\u200b", "")
    return re.sub(r"\\([\\\[\]|:])", r"\1", text)


def told(earlier: Told) -> str:
    """One line on a finding of an earlier review, with a link to where it is told in full."""
    link = f"[told earlier]({earlier.url})" if _ADDRESS.fullmatch(earlier.url) else "told earlier"
    parts = [
        f"**{earlier.severity.label.capitalize()}**",
        f" {where(earlier)}" if earlier.path else "",
        f": {neutral_line(earlier.title)}" if earlier.title else "",
        f" ({link}{'; ' if earlier.reason else ''}{earlier.reason})",
    ]
    return "".join(parts)


def where(finding: Finding | Told) -> str:
    """`path:line` as code; the old side is named, since its numbers are not the new file's."""
    place = finding.path
    if finding.start is not None:
        place += f":{finding.start}"
        if finding.end not in (None, finding.start):
            place += f"-{finding.end}"
    old = " (old side)" if finding.start is not None and finding.side is Side.LEFT else ""
    return code(place) + old


def _said(finding: Finding) -> str:
    sources = neutral_line(", ".join(finding.sources)) or "nobody"
    category = neutral_line(finding.category, limit=60)
    return f"{category} · said by {sources} · confidence {finding.confidence.label}"
