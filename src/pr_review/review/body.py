"""The body of the review: the verdict, the findings, and the account of what was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pr_review.domain.finding import Judged, Place
from pr_review.domain.review import Run, Told
from pr_review.domain.words import counted
from pr_review.review import comments
from pr_review.review.details import details
from pr_review.review.earlier import mentions, vouched
from pr_review.review.fit import BODY_LIMIT, SUMMARY_LIMIT_BYTES, Measure, fitting, units, utf8
from pr_review.review.links import Links
from pr_review.review.marker import marker
from pr_review.review.neutral import code, neutral_line
from pr_review.review.omissions import omissions, summary_line
from pr_review.review.policy import ReviewPolicy
from pr_review.review.verdict import verdict

_MOST_LINES = 10
_MOST_ROWS = 20
_MOST_IN_VIEW = 5
_NOTES = 500
_RULE = "\n\n---\n\n"


def body(run: Run, policy: ReviewPolicy, *, inline: bool = True) -> str:
    """The review as Markdown that GitHub takes; its first line is the verdict.

    With `inline`, findings that stand inline have a row in the table alone; without, every
    finding is told in full. What does not fit is folded or counted, and said. The last
    line is the marker, unless the run has no pull request.
    """
    return _fitted(run, _marker(run, policy), inline=inline, limit=BODY_LIMIT, measure=units)


def summary_body(run: Run) -> str:
    """The same for the job summary: every finding in full, no marker, room up to 1 MB."""
    return _fitted(run, "", inline=False, limit=SUMMARY_LIMIT_BYTES, measure=utf8)


def _fitted(run: Run, last: str, *, inline: bool, limit: int, measure: Measure) -> str:
    part = limit // 8  # for each list that others write; hidden characters take ten times the room
    links = Links(run)
    top = [verdict(run), _unlisted(run), _failures(run, part, measure)]
    made = _folded("Run details", details(run, links, 2 * part, measure))
    bottom = [_warnings(run, part, measure), _redactions(run), made, last]
    room = limit - measure(_joined([*top, *bottom])) - _NOTES
    left_out = run.snapshot.ledger.withheld if run.snapshot else ()
    before = _earlier(run, links, room // 4, measure)
    room -= measure(before)
    reserve = min(measure(omissions(left_out, limit, measure)), room // 3)
    noted = _noted(run, links, (room - reserve) // 4, measure)
    room -= measure(noted)
    findings = _findings(run, links, room - reserve, measure, inline=inline)
    unseen = ""
    if left_out:
        listed = omissions(left_out, room - measure(findings), measure)
        unseen = _folded(f"Not shown to a model: {summary_line(left_out)}", listed)
    return _joined([*top, findings, noted, before, unseen, *bottom])


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def _folded(summary: str, text: str) -> str:
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"


def _findings(run: Run, links: Links, room: int, measure: Measure, *, inline: bool) -> str:
    """What is worth the author's time: the worst in a table, then in full what no comment tells,
    the first few in view. Cut to the room, and said so. No table repeats what stands below it."""
    listed = run.for_author
    told = [judged for judged in listed if not inline or judged.place is not Place.INLINE]
    table = above = ""
    if len(told) < len(listed) or len(told) > _MOST_IN_VIEW:
        table = _table(listed, links, room // 2, measure)
        heading = "Without a comment at their lines" if inline else "In full"
        above = f"**{heading}** ({len(told):,}):" if told else ""
    full = (comments.entry(judged, links) for judged in told)
    entries = fitting(full, room - measure(table), joint=_RULE, measure=measure)
    cut = len(told) - len(entries)
    note = f"{counted(cut, 'finding')} did not fit here in full; the job summary and the report"
    return _joined([table, above, *_unfolded(entries), f"{note} hold more." if cut else ""])


def _table(listed: Sequence[Judged], links: Links, room: int, measure: Measure) -> str:
    head = "| Severity | Finding |\n| -- | -- |"
    lines = (comments.row(judged, links) for judged in listed[:_MOST_ROWS])
    rows = fitting(lines, room, joint="\n", measure=measure)
    more = len(listed) - len(rows)
    beyond = f"and {counted(more, 'more finding')}" if more else ""
    return _joined(["\n".join([head, *rows]), beyond])


def _unfolded(entries: Sequence[str]) -> list[str]:
    """The first few in view, the others folded."""
    first, others = entries[:_MOST_IN_VIEW], entries[_MOST_IN_VIEW:]
    rest = _folded(counted(len(others), "more finding"), _RULE.join(others)) if others else ""
    return [_RULE.join(first), rest]


def _noted(run: Run, links: Links, room: int, measure: Measure) -> str:
    """What gives a reviewer context and is no task for the author, folded."""
    noted = run.for_reviewer
    if not noted:
        return ""
    full = (comments.entry(judged, links) for judged in noted)
    entries = fitting(full, room, joint=_RULE, measure=measure)
    cut = len(noted) - len(entries)
    rest = f"{counted(cut, 'finding')} did not fit here; the report holds more." if cut else ""
    text = _joined([_RULE.join(entries), rest])
    more = "more finding" if len(noted) < len(run.findings) else "finding"
    return _folded(f"For the reviewer: {counted(len(noted), more)}, unsure or small", text)


def _unlisted(run: Run) -> str:
    words = run.snapshot.ledger.unlisted_words if run.snapshot else ""
    return f"{words}; what they hold is not part of this review." if words else ""


def _earlier(run: Run, links: Links, room: int, measure: Measure) -> str:
    """What became of the findings of earlier reviews, in a few short parts."""
    still = _told("Still open from earlier reviews", run.still_open, links, room // 2, measure)
    ended = _told("Resolved since the last review", run.resolved, Links(), room // 4, measure)
    withheld = counted(len(run.withheld), "finding")
    quiet = f"{withheld} {Place.WITHHELD.quiet}." if run.withheld else ""
    return _joined([still, ended, quiet, _taken(run, links, room // 4, measure)])


def _taken(run: Run, links: Links, room: int, measure: Measure) -> str:
    """What was taken for something told earlier, folded: a reader may see that it is not."""
    taken = run.taken_for_told
    if not taken:
        return ""
    lines = (f"- {comments.taken(judged, other, links)}" for judged, other in taken)
    shown = fitting(lines, room, joint="\n", measure=measure)
    more = len(taken) - len(shown)
    rest = [f"- and {counted(more, 'more finding')}, which the report lists"] if more else []
    summary = f"{counted(len(taken), 'finding')} taken for what an earlier review told"
    return _folded(summary, "\n".join([*shown, *rest]))


def _told(heading: str, earlier: Sequence[Told], links: Links, room: int, measure: Measure) -> str:
    """A list of earlier findings; those that do not fit are counted."""
    if not earlier:
        return ""
    lines = (f"- {comments.told(told, links)}" for told in earlier)
    shown = fitting(lines, room, joint="\n", measure=measure)
    more = len(earlier) - len(shown)
    rest = [f"- {'and ' if shown else ''}{counted(more, 'more finding')}"] if more else []
    return f"**{heading}** ({len(earlier):,}):\n\n" + "\n".join([*shown, *rest])


def _warnings(run: Run, room: int, measure: Measure) -> str:
    lines = [f"Warning: {neutral_line(text)}" for text in run.warnings]
    return _list(lines, "warnings", room, measure)


def _failures(run: Run, room: int, measure: Measure) -> str:
    lines = [
        f"The agent{'' if len(names) == 1 else 's'} {_names(names)} failed: {neutral_line(failure)}"
        for failure, names in run.failures
    ]
    if run.unverified:
        lines.append(f"Findings were not verified: {neutral_line(run.unverified)}")
    return _list(lines, "reasons", room, measure)


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_LINES} more" if len(names) > _MOST_LINES else ""
    return ", ".join(code(name[:60]) for name in names[:_MOST_LINES]) + more


def _redactions(run: Run) -> str:
    redactions = run.snapshot.ledger.redactions if run.snapshot else ()
    rules = Counter(redaction.rule for redaction in redactions)
    parts = [f"{code(rule[:60])} × {count}" for rule, count in sorted(rules.items())]
    if not parts:
        return ""
    more = f" and {len(parts) - _MOST_LINES} more rules" if len(parts) > _MOST_LINES else ""
    return f"Redacted before anything was sent: {', '.join(parts[:_MOST_LINES])}{more}."


def _list(lines: Sequence[str], things: str, room: int, measure: Measure) -> str:
    """A Markdown list, cut to the first few and to the room."""
    few = (f"- {line}" for line in lines[:_MOST_LINES])
    shown = fitting(few, room, joint="\n", measure=measure)
    more = len(lines) - len(shown)
    return "\n".join([*shown, f"- and {more} more {things}"] if more else shown)


def _marker(run: Run, policy: ReviewPolicy) -> str:
    pull, change, key = run.pull_request, run.change, policy.marker_key
    if pull is None:
        return ""
    return marker(
        pull.repository,
        pull.number,
        (change.head if change else "") or pull.head_sha,
        policy.settings_digest,
        key,
        merge_base=change.merge_base if change else "",
        coverage=vouched(run),
        findings=mentions(run, key) if key else (),
        spent_usd=run.spent_usd,
    )
