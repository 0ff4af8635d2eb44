"""From a model's text to findings: each one is salvaged on its own.

The answer is checked as if no response format existed, since several providers ignore it.
Text in which no report can be found is a failure of the agent, never "no findings".
"""

from __future__ import annotations

from dataclasses import dataclass

from pr_review.agents.catalogue import Agent
from pr_review.agents.items import PATH_KEYS, finding
from pr_review.agents.reports import Form, reports
from pr_review.domain.finding import Finding

_FINDINGS = Form(
    keys=("findings", "issues", "comments"), marks=(*PATH_KEYS, "body"), first=PATH_KEYS
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one reply says.

    `dropped` counts items that could not be read. `cut_short` is true if the text stopped
    before its end: complete findings are kept. `failure` is empty if there is a report;
    with `repairable` asking once more may help.
    """

    findings: tuple[Finding, ...] = ()
    dropped: int = 0
    cut_short: bool = False
    failure: str = ""
    repairable: bool = False


def read(text: str, finish_reason: str, agent: Agent) -> Answer:
    """Reads a reply of `agent`; never raises, whatever the text holds.

    `finish_reason` is looked at first: a filtered answer fails whatever it says, and an
    answer that was cut before its first finding is not "no findings".
    """
    if refused := refusal(text, finish_reason):
        return Answer(failure=refused)
    cut = finish_reason == "length"
    found = reports(text, _FINDINGS)
    if not found:
        return _unreadable(cut=cut)
    items = [item for report in found for item in report.items]
    findings = [finding(item, agent) for item in items]
    kept = tuple(dict.fromkeys(one for one in findings if one is not None))
    dropped = findings.count(None) + sum(report.broken for report in found)
    cut = cut or any(report.cut for report in found)
    if kept or not (cut or dropped):
        return Answer(kept, dropped, cut)
    if cut:
        return _unreadable(cut=True)
    return Answer(
        dropped=dropped,
        failure=f"its answer held no finding that could be read, of {dropped}",
        repairable=True,
    )


def refusal(text: str, finish_reason: str) -> str:
    """Why a reply is no answer whatever it was asked for; empty if it may be one."""
    if finish_reason in ("content_filter", "refusal", "safety"):
        return "the provider filtered or refused the answer"
    if text.strip("\ufeff \t\r\n"):
        return ""
    if finish_reason == "length":
        return (
            "it spent its whole output allowance before it wrote an answer: "
            "raise max-output-tokens, or choose a model that reasons less"
        )
    return f"the model sent an empty answer (finish reason: {finish_reason[:40] or 'none'})"


def _unreadable(*, cut: bool) -> Answer:
    words = (
        "its answer ends before its first finding is complete: raise max-output-tokens"
        if cut
        else "its answer held no findings in JSON, not even an empty list"
    )
    return Answer(cut_short=cut, failure=words, repairable=True)
