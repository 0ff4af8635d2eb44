"""The worst first, and not too many of them inline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pr_review.domain.finding import Judged, Place
from pr_review.judge.policy import JudgePolicy

OVER_MAX_COMMENTS = "over max-comments"


def rank(judged: Sequence[Judged], policy: JudgePolicy) -> tuple[Judged, ...]:
    """Orders by severity, confidence, path and line, the rejected last.

    Only the first `max_comments` inline findings stay inline; the others go to the body
    without their suggestion, which can be applied from an inline comment alone.
    """
    ranked = []
    room = policy.max_comments
    for item in sorted(judged, key=_order):
        inline = item.place is Place.INLINE
        ranked.append(_to_body(item) if inline and room <= 0 else item)
        room -= inline
    return tuple(ranked)


def _to_body(item: Judged) -> Judged:
    return Judged(replace(item.finding, suggestion=None), Place.BODY, OVER_MAX_COMMENTS)


def _order(item: Judged) -> tuple[bool, int, int, str, int, str]:
    finding = item.finding
    return (
        item.place.left_out,
        -finding.severity,
        -finding.confidence,
        finding.path,
        finding.start or 0,
        repr(item),
    )
