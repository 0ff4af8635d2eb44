"""From a model's text to verdicts on findings: read leniently, counted strictly.

A finding is refuted only by a verdict that names it, says so, and gives a reason. What cannot be
read, is missing or disagrees with itself refutes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
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
                "required": ["id", "reason", "verdict"],
                # the reason first: a model that writes it has thought before it decides
                "properties": {
                    "id": {"type": "string"},
                    "reason": {"type": "string"},
                    "verdict": {"type": "string", "enum": ["refuted", "holds", "unsure"]},
                },
            },
        }
    },
}
"""JSON schema of the answer."""

_VERDICTS = Form(
    keys=("verdicts", "results", "findings"), marks=("verdict",), first=("id", "verdict")
)
_LONGEST_REASON = 300


class Ruling(StrEnum):
    REFUTED = "refuted"
    HOLDS = "holds"
    UNSURE = "unsure"


_WORDS = {
    "refuted": Ruling.REFUTED, "refute": Ruling.REFUTED,
    "holds": Ruling.HOLDS, "hold": Ruling.HOLDS, "confirmed": Ruling.HOLDS,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was said of one finding, and why: on one line."""

    ruling: Ruling
    reason: str = ""


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

    @property
    def refuted(self) -> int:
        return sum(one.ruling is Ruling.REFUTED for one in self.by_id.values())


def read(text: str, finish_reason: str, ids: Collection[str]) -> Verdicts:
    """Reads a reply about the findings of these ids; never raises, whatever the text holds."""
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
        elif name in by_id and by_id[name].ruling is not verdict.ruling:
            by_id[name] = Verdict(Ruling.UNSURE)
        else:
            by_id.setdefault(name, verdict)
    return Verdicts(by_id, dropped, cut, "" if by_id else _unreadable(cut=cut))


def _unreadable(*, cut: bool) -> str:
    if cut:
        return "its answer met the output limit before its first verdict was complete"
    return "its answer held no verdict that could be read"


def _verdict(item: object) -> tuple[str, Verdict]:
    """The id that an item names, empty for none, and its verdict: unsure unless it is plain."""
    values = {spelt(key): value for key, value in item.items()} if isinstance(item, dict) else {}
    name, reason = values.get("id"), values.get("reason")
    said = values.get("verdict")
    ruling = _WORDS.get(said.strip().lower(), Ruling.UNSURE) if isinstance(said, str) else None
    words = " ".join(reason.split())[:_LONGEST_REASON] if isinstance(reason, str) else ""
    if ruling is None or not isinstance(name, str):
        return "", Verdict(Ruling.UNSURE)
    if ruling is Ruling.REFUTED and not words:
        ruling = Ruling.UNSURE
    return name.strip().upper(), Verdict(ruling, words)
