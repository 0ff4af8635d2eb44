"""The reports in a model's text, whatever stands around them: fences, prose, reasoning, wrappers.

A report is an object with a list of items under a name that was asked for, or such items alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pr_review.agents.items import spelt
from pr_review.agents.lenient import Malformed, Reader

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
_MARKUP = re.compile(r"<[^<>]*>")
_MAX_WRAPPERS = 5


@dataclass(frozen=True, slots=True)
class Form:
    """What a report looks like: `keys` name its list, an object with one of `marks` is an item,
    and one that cannot be read was meant as an item if it begins with one of `first`.
    """

    keys: tuple[str, ...]
    marks: tuple[str, ...]
    first: tuple[str, ...]

    def headless(self, text: str) -> bool:
        """Whether a text goes on from an opening brace that was sent with the prompt."""
        return re.match(rf'\s*"(?:{"|".join(self.keys)})"\s*:', text) is not None

    def broken(self, text: str, at: int) -> bool:
        return re.compile(rf'\{{\s*"(?:{"|".join(self.first)})"').match(text, at) is not None

    def item(self, value: object) -> bool:
        return isinstance(value, dict) and any(spelt(key) in self.marks for key in value)


@dataclass(frozen=True, slots=True)
class Report:
    """Items as they came. `broken` counts those that are no JSON; `cut`: the text ends inside."""

    items: tuple[object, ...]
    broken: int
    cut: bool


def reports(text: str, form: Form) -> list[Report]:
    """Every report in the text, in order; a draft inside a reasoning block is none. Never raises,
    whatever the text holds.
    """
    text = _FENCES.sub("", text.removeprefix("\ufeff"))
    if form.headless(text):
        text = "{" + text
    elif text.startswith('"'):
        text = _decoded(text)
    if re.fullmatch(r"\s*\[\s*\]\s*", text):
        return [Report((), 0, cut=False)]
    found: list[Report] = []
    for report in _scan(text, form):
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


def _scan(text: str, form: Form) -> Iterator[Report | None]:
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
            if form.broken(text, start.start()):
                yield Report((), 1, cut=False)
            # what a nest opened and never filled is not worth a try at each bracket
            at = max(at, error.at) if error.deep else at
            continue
        items = _items(value, form)
        if items or (items is not None and not _in_a_sentence(text, start.start(), after)):
            yield Report(tuple(items), reader.broken, reader.cut)
        # prose that looks like a cut value must not swallow the report behind it
        at = at if items is None and reader.cut else after


def _in_a_sentence(text: str, start: int, end: int) -> bool:
    """Whether words stand on both sides of start..end: then it is talked of, not answered."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    behind = text[end:].split("\n", 1)[0]
    return all(re.search(r"\w", _MARKUP.sub("", words)) for words in (before, behind))


def _items(value: object, form: Form, wrappers: int = 0) -> list[object] | None:
    """The items of a report, or None if the value is none.

    A report is an object with a list of items, perhaps inside an envelope; or items without
    it. Inside prose a bare empty list is prose.
    """
    if isinstance(value, list):
        return value if any(map(form.item, value)) else _inside(value, form, wrappers)
    if isinstance(value, str):
        return _items(_loaded(value), form, wrappers + 1) if wrappers < _MAX_WRAPPERS else None
    if not isinstance(value, dict):
        return None
    for name in form.keys:
        lists = [v for key, v in value.items() if spelt(key) == name and isinstance(v, list)]
        if lists:
            return [item for one in lists for item in one]
    return [value] if form.item(value) else _inside(list(value.values()), form, wrappers)


def _inside(values: list[object], form: Form, wrappers: int) -> list[object] | None:
    """Items of the reports among `values`, joined."""
    if wrappers >= _MAX_WRAPPERS:
        return None
    read = [_items(value, form, wrappers + 1) for value in values if value]
    found = [items for items in read if items is not None]
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
