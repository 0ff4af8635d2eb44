"""From a model's text to verdicts on findings: read leniently, counted strictly.

A finding is refuted only by a verdict that names it, says so, and gives a reason. What cannot be
read, is missing or disagrees with itself refutes nothing, and makes nothing the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from pr_review.agents.answer import refusal
from pr_review.agents.items import spelt
from pr_review.agents.reports import Form, reports

SCHEMA: dict[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["verdicts"],
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["id", "reason", "verdict", "same_as"],
                # the reason first: a model that writes it has thought before it decides
                "properties": {
                    "id": {"type": "string"},
                    "reason": {"type": "string"},
                    "verdict": {"type": "string", "enum": ["refuted", "holds", "unsure"]},
                    "same_as": {"type": ["string", "null"]},
                },
            },
        }
    },
}
"""JSON schema of the answer."""

_VERDICTS = Form(
    keys=("verdicts", "results", "findings"), marks=("verdict", "same_as"), first=("id", "verdict")
)
_LONGEST_REASON = 300


class Ruling(StrEnum):
    """`NONE` where it was told what a finding is the same as, and no more."""

    REFUTED = "refuted"
    HOLDS = "holds"
    UNSURE = "unsure"
    NONE = "none"


_WORDS = {
    "refuted": Ruling.REFUTED, "refute": Ruling.REFUTED,
    "holds": Ruling.HOLDS, "hold": Ruling.HOLDS, "confirmed": Ruling.HOLDS,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was said of one finding, and why: on one line. `same_as` is the id of an earlier one
    that is the same problem, empty for none."""

    ruling: Ruling
    reason: str = ""
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What one reply says, by the findings' ids.

    `dropped` counts verdicts that could not be read or name no finding that was asked about.
    `failure` is empty if there is a verdict on any.
    """

    by_id: Mapping[str, Verdict] = field(default_factory=dict)
    dropped: int = 0
    cut_short: bool = False
    failure: str = ""

    def refutes(self, name: str) -> bool:
        return name in self.by_id and self.by_id[name].ruling is Ruling.REFUTED

    def rules(self, name: str) -> bool:
        """Whether there is a verdict on a finding, if only that nothing is sure."""
        return name in self.by_id and self.by_id[name].ruling is not Ruling.NONE


def read(text: str, finish_reason: str, ids: Sequence[str]) -> Verdicts:
    """Reads a reply about the findings of these ids, in their order; never raises, whatever the
    text holds."""
    cut = finish_reason == "length"
    if not cut and (refused := refusal(text, finish_reason)):
        return Verdicts(failure=refused)
    found = reports(text, _VERDICTS)
    cut = cut or any(report.cut for report in found)
    by_id: dict[str, Verdict] = {}
    dropped = sum(report.broken for report in found)
    for item in (item for report in found for item in report.items):
        name, verdict = _verdict(item)
        if name not in ids:
            dropped += 1
            continue
        if verdict.same_as not in ids[: ids.index(name)]:
            verdict = replace(verdict, same_as="")
        by_id[name] = _both(by_id.get(name, verdict), verdict)
    return Verdicts(by_id, dropped, cut, "" if by_id else _unreadable(cut=cut))


def _both(one: Verdict, other: Verdict) -> Verdict:
    """What two verdicts on one finding agree in."""
    if one.ruling is not other.ruling:
        return Verdict(Ruling.UNSURE)
    return one if one.same_as == other.same_as else replace(one, same_as="")


def _unreadable(*, cut: bool) -> str:
    if cut:
        return "its answer met the output limit before its first verdict was complete"
    return "its answer held no verdict that could be read"


def _verdict(item: object) -> tuple[str, Verdict]:
    """The id that an item names, empty for none, and its verdict: unsure unless it is plain, none
    if it says no more than what is the same."""
    values = {spelt(key): value for key, value in item.items()} if isinstance(item, dict) else {}
    name, reason, same = values.get("id"), values.get("reason"), values.get("same_as")
    said = values.get("verdict")
    ruling = _WORDS.get(said.strip().lower(), Ruling.UNSURE) if isinstance(said, str) else None
    if said is None and "same_as" in values:
        ruling = Ruling.NONE
    words = " ".join(reason.split())[:_LONGEST_REASON] if isinstance(reason, str) else ""
    if ruling is None or not isinstance(name, str):
        return "", Verdict(Ruling.UNSURE)
    if ruling is Ruling.REFUTED and not words:
        ruling = Ruling.UNSURE
    same_as = same.strip().upper() if isinstance(same, str) else ""
    return name.strip().upper(), Verdict(ruling, words, same_as)
