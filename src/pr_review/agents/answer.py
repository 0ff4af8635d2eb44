"""From a model's text to findings: each one is salvaged on its own.

The answer is checked as if no response format existed, since several providers ignore it.
Text in which no report can be found is a failure of the agent, never "no findings".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pr_review.agents.catalogue import Agent
from pr_review.agents.items import PATH_KEYS, finding, spelt
from pr_review.agents.lenient import Malformed, Reader
from pr_review.domain.finding import Finding

_KEYS = ("findings", "issues", "comments")
_TAGS = r"(?:\w+:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis)"
# Tags of reasoning models, and the channels of OpenAI's open ones, also with their signs stripped.
_CLOSE = (
    rf"</{_TAGS}>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
    r"|<\|channel\|>(?:final|commentary)|assistantfinal"
)
_OPEN = rf"<{_TAGS}(?:\s[^<>/]*)?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>analysis"
_CLOSED = re.compile(_CLOSE, re.IGNORECASE)
_START = re.compile(rf"(?P<open>{_OPEN})|(?P<close>{_CLOSE})|[{{\[]", re.IGNORECASE)
_FENCES = re.compile(r"\A\s*```\w*\s*|```\s*\Z")
# The opening brace was sent with the prompt.
_HEADLESS = re.compile(rf'\s*"(?:{"|".join(_KEYS)})"\s*:')
_BROKEN_ITEM = re.compile(rf'\{{\s*"(?:{"|".join(PATH_KEYS)})"')
_MARKUP = re.compile(r"<[^<>]*>")
_MAX_WRAPPERS = 5


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


@dataclass(frozen=True, slots=True)
class _Report:
    items: tuple[object, ...]
    broken: int
    cut: bool


def read(text: str, finish_reason: str, agent: Agent) -> Answer:
    """Reads a reply of `agent`; never raises, whatever the text holds.

    `finish_reason` is looked at first: a filtered answer fails whatever it says, and an
    answer that was cut before its first finding is not "no findings".
    """
    if refused := _refusal(text, finish_reason):
        return Answer(failure=refused)
    cut = finish_reason == "length"
    reports = _reports(text)
    if not reports:
        return _unreadable(cut=cut)
    items = [item for report in reports for item in report.items]
    findings = [finding(item, agent) for item in items]
    kept = tuple(dict.fromkeys(found for found in findings if found is not None))
    dropped = findings.count(None) + sum(report.broken for report in reports)
    cut = cut or any(report.cut for report in reports)
    if kept or not (cut or dropped):
        return Answer(kept, dropped, cut)
    if cut:
        return _unreadable(cut=True)
    return Answer(
        dropped=dropped,
        failure=f"its answer held no finding that could be read, of {dropped}",
        repairable=True,
    )


def _refusal(text: str, finish_reason: str) -> str:
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


def _reports(text: str) -> list[_Report]:
    """Every report in the text, in order; a draft inside a reasoning block is none."""
    text = _FENCES.sub("", text.removeprefix("\ufeff"))
    if _HEADLESS.match(text):
        text = "{" + text
    elif text.startswith('"'):
        text = _decoded(text)
    if re.fullmatch(r"\s*\[\s*\]\s*", text):
        return [_Report((), 0, cut=False)]
    found: list[_Report] = []
    for report in _scan(text):
        if report is None:
            found.clear()
        else:
            found.append(report)
    return found


def _decoded(text: str) -> str:
    """A report that was encoded twice, decoded once."""
    try:
        value, end = Reader(text).read(0)
    except Malformed:
        return text
    return value if isinstance(value, str) and not text[end:].strip() else text


def _scan(text: str) -> Iterator[_Report | None]:
    """The reports of a text; None where a reasoning block ends that had no beginning.

    Templates of several models send the opening tag with the prompt.
    """
    reader, at = Reader(text), 0
    while start := _START.search(text, at):
        at = start.end()
        if start["close"]:
            yield None
            continue
        if start["open"]:
            closed = _CLOSED.search(text, at)
            at = closed.end() if closed else len(text)
            continue
        try:
            value, after = reader.read(start.start())
        except Malformed as error:
            if _BROKEN_ITEM.match(text, start.start()):
                yield _Report((), 1, cut=False)
            # what a nest opened and never filled is not worth a try at each bracket
            at = max(at, error.at) if error.deep else at
            continue
        items = _items(value)
        if items or (items is not None and not _in_a_sentence(text, start.start(), after)):
            yield _Report(tuple(items), reader.broken, reader.cut)
        # prose that looks like a cut value must not swallow the report behind it
        at = at if items is None and reader.cut else after


def _in_a_sentence(text: str, start: int, end: int) -> bool:
    """Whether words stand on both sides of start..end: then it is talked of, not answered."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    behind = text[end:].split("\n", 1)[0]
    return all(re.search(r"\w", _MARKUP.sub("", words)) for words in (before, behind))


def _items(value: object, wrappers: int = 0) -> list[object] | None:
    """The items of a report, or None if the value is none.

    A report is an object with a list of findings, perhaps inside an envelope; or findings
    without it. Inside prose a bare empty list is prose.
    """
    if isinstance(value, list):
        return value if any(_like_finding(item) for item in value) else _inside(value, wrappers)
    if isinstance(value, str):
        return _items(_loaded(value), wrappers + 1) if wrappers < _MAX_WRAPPERS else None
    if not isinstance(value, dict):
        return None
    for name in _KEYS:
        lists = [v for key, v in value.items() if spelt(key) == name and isinstance(v, list)]
        if lists:
            return [item for one in lists for item in one]
    return [value] if _like_finding(value) else _inside(list(value.values()), wrappers)


def _inside(values: list[object], wrappers: int) -> list[object] | None:
    """Items of the reports among `values`, joined."""
    if wrappers >= _MAX_WRAPPERS:
        return None
    reports = [_items(value, wrappers + 1) for value in values if value]
    found = [items for items in reports if items is not None]
    return [item for items in found for item in items] if found else None


def _loaded(text: str) -> object:
    """A value that a tool call carries as a string (`arguments`), None if not read whole."""
    text = text.lstrip()
    if not text.startswith(("{", "[")):
        return None
    reader = Reader(text)
    try:
        value, _ = reader.read(0)
    except Malformed:
        return None
    return None if reader.cut or reader.broken else value


def _like_finding(value: object) -> bool:
    return isinstance(value, dict) and any(spelt(key) in (*PATH_KEYS, "body") for key in value)
