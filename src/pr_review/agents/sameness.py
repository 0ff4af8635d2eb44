"""Which findings a model is asked to compare, and what its answer makes one problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pr_review.agents.policy import Verify
from pr_review.agents.verdicts import Verdicts
from pr_review.domain.finding import Judged

MOST_COMPARED = 200


def neighbours(judged: Iterable[Judged], whose: Verify) -> list[Judged]:
    """The findings that may be one with another, the worst first: none where nobody verifies.

    They are told, said by agents alone, and stand near another such. A pattern is none of them: it
    stands at many places.
    """
    told = [j for j in judged if j.place.tells and not j.finding.deterministic and not j.also]
    told = sorted(told, key=worst)[:MOST_COMPARED] if whose is not Verify.OFF else []
    return [
        one
        for at, one in enumerate(told)
        if any(one.finding.near(other.finding) for i, other in enumerate(told) if i != at)
    ]


def worst(judged: Judged) -> tuple[int, int, str, str]:
    """The order in which findings are put before the model."""
    finding = judged.finding
    return (-finding.severity, -finding.confidence, finding.path, repr(judged))


def pairs(
    findings: Mapping[str, Judged], compared: Iterable[Judged], verdicts: Verdicts
) -> Iterator[tuple[Judged, Judged]]:
    """Pairs that are one problem, by a verdict on the second: both are compared and near each
    other, and neither is refuted, which would say that they are two."""
    known = {name: one for name, one in findings.items() if one in compared}
    for name, second in known.items():
        verdict = verdicts.by_id.get(name)
        first = known.get(verdict.same_as) if verdict else None
        if verdict is None or first is None:
            continue
        refuted = verdicts.refutes(name) or verdicts.refutes(verdict.same_as)
        if not refuted and second.finding.near(first.finding):
            yield first, second
