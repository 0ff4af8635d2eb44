"""The worst first, the doubtful folded, and not too many of them inline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from pr_review.domain.finding import Confidence, Finding, Judged, Place, Severity, Voice
from pr_review.judge.policy import JudgePolicy

OVER_MAX_COMMENTS = "over max-comments"
BELOW_MIN_SEVERITY = "below min-severity"
UNSURE = "its source is not sure of it"
SMALL = "of low severity, and nothing makes it certain"
_MOST_OF_TOOLS = 30
# What this module put aside it may take back; a reason of the anchor stays.
_TAKEN_BACK = frozenset({OVER_MAX_COMMENTS, UNSURE, SMALL})


def rank(judged: Sequence[Judged], policy: JudgePolicy) -> tuple[Judged, ...]:
    """Orders by severity, confidence, path and line, and decides what stands where; of results of
    other tools the first 30 stand among the rest, more of them behind it.

    Findings worth the author's time come first; of these the first `max_comments` that have a
    place in the diff stand inline, the others in the body. Then come those that are noted for a
    reviewer, those of earlier reviews, and those left out. It may be called again whenever some
    were refuted, told before, or became more sure: the room that they leave goes to the next.
    """
    ranked = []
    room = policy.max_comments
    ordered = sorted((_placed(item, policy) for item in judged), key=_order)
    flood = _flood(ordered)
    for item in sorted(ordered, key=lambda one: (_list(one), id(one) in flood)):
        inline = item.place is Place.INLINE
        over = inline and room <= 0
        ranked.append(replace(item, place=Place.BODY, reason=OVER_MAX_COMMENTS) if over else item)
        room -= inline
    return tuple(ranked)


def _flood(ordered: Sequence[Judged]) -> frozenset[int]:
    """Results of other tools beyond the first few, which stand behind what all others say: a
    report that is forged may call any number of them critical."""
    by_tools = (j for j in ordered if j.finding.voice is Voice.TOOL and not _list(j))
    return frozenset(map(id, islice(by_tools, _MOST_OF_TOOLS, None)))


def _placed(item: Judged, policy: JudgePolicy) -> Judged:
    """The place of one finding, were there room for all."""
    if not item.place.tells:
        return item
    if item.finding.severity < policy.min_severity:
        return replace(item, place=Place.MINOR, reason=BELOW_MIN_SEVERITY)
    item = unranked(item)
    if noted := _noted(item.finding):
        inline = item.place is Place.INLINE
        return replace(item, place=Place.NOTED, reason=noted if inline else item.reason)
    return item


def unranked(item: Judged) -> Judged:
    """A told finding where its anchor put it: inline, or in the body with the reason."""
    if item.place is Place.INLINE or item.reason in _TAKEN_BACK:
        return replace(item, place=Place.INLINE, reason="")
    return replace(item, place=Place.BODY)


def _noted(finding: Finding) -> str:
    """Why a finding is context for a reviewer and no task for the author; empty if it is one."""
    if finding.confidence is Confidence.LOW and not finding.deterministic:
        return UNSURE
    small = finding.severity is Severity.LOW and finding.confidence < Confidence.HIGH
    return SMALL if small else ""


_LISTS = {Place.INLINE: 0, Place.BODY: 0, Place.NOTED: 1, Place.TOLD: 2, Place.WITHHELD: 2}


def _list(item: Judged) -> int:
    return _LISTS.get(item.place, 3)


def _order(item: Judged) -> tuple[int, int, int, str, int, str]:
    finding = item.finding
    return (
        _list(item),
        -finding.severity,
        -finding.confidence,
        finding.path,
        finding.start or 0,
        repr(item),
    )
