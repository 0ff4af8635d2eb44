"""Answers of models: read without a fault, as JSON reads them, and what was cut is not invented."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pr_review.agents import answer, verdicts
from pr_review.agents.catalogue import Agent
from pr_review.agents.items import finding
from pr_review.domain.finding import Finding

_AGENT = Agent("bugs", "Bugs", ("correctness", "error-handling"), "")
_ENDS = ("stop", "length", "content_filter", "")
_IDS = ("F1", "F2", "F3")


def check(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    end = _ENDS[len(data) % len(_ENDS)]
    read = answer.read(text, end, _AGENT)
    _sound(read)
    for one in read.findings:
        _usable(one)
    _as_json(text)
    _verdicts(verdicts.read(text, end, _IDS))


def _sound(read: answer.Answer) -> None:
    """A failure has no findings; without one there are some, or a report without a flaw."""
    assert "\n" not in read.failure
    if read.failure:
        assert not read.findings
    else:
        assert read.findings or not (read.dropped or read.cut_short)
    assert len(set(read.findings)) == len(read.findings)


def _usable(one: Finding) -> None:
    assert one.path.strip()
    assert one.title.strip() or one.body
    assert "\n" not in one.title + one.quote
    assert one.category in (*_AGENT.categories, _AGENT.name)
    if one.start is None or one.end is None:
        assert (one.start, one.end, one.suggestion) == (None, None, None)
    else:
        assert 1 <= one.start <= one.end
    repr(one).encode()
    "".join((one.path, one.title, one.body, one.quote, one.suggestion or "")).encode()


def _as_json(text: str) -> None:
    """What strict JSON says is what is read; a part of it gives a part of its findings."""
    items = _stated(text)
    if items is None:
        return
    stated = tuple(dict.fromkeys(found for item in items if (found := finding(item, _AGENT))))
    assert answer.read(text, "stop", _AGENT).findings == stated
    fenced = f"I looked at all of it:\n\n```json\n{text}\n```\nThat is all."
    assert answer.read(fenced, "stop", _AGENT).findings == stated
    for cut in (len(text) // 3, len(text) // 2, len(text) - 3):
        part = answer.read(text[:cut], "length", _AGENT)
        assert part.findings == stated[: len(part.findings)]


def _stated(text: str) -> list[object] | None:
    """The items of a text that is one report in strict JSON, each key once; None for others."""

    def once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError(pairs)
        return dict(pairs)

    try:
        value = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError):
        return None
    items = value.get("findings") if isinstance(value, dict) and len(value) == 1 else None
    return items if isinstance(items, list) and items and all(map(_plain, items)) else None


def _plain(item: object) -> bool:
    """Whether an item has no more than the keys that were asked for, and text in each."""
    return (
        isinstance(item, dict)
        and item.keys() <= {"path", "title", "body", "quote", "severity", "start_line"}
        and all(
            isinstance(value, str | int) and str(value).isprintable() for value in item.values()
        )
        and finding(item, _AGENT) is not None
    )


def _verdicts(read: verdicts.Verdicts) -> None:
    """Verdicts are about what was asked; none refutes without a reason; one is the same only as
    one before it."""
    assert read.by_id.keys() <= set(_IDS)
    assert bool(read.failure) != bool(read.by_id)
    for name, said in read.by_id.items():
        assert "\n" not in said.reason
        assert said.reason or not read.refutes(name)
        assert said.same_as in ("", *_IDS[: _IDS.index(name)])
