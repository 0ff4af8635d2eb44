"""Verdicts are read leniently, and refute only what they plainly name."""

from __future__ import annotations

import json

import pytest

from pr_review.agents.verdicts import SCHEMA, Ruling, Verdict, Verdicts, read

IDS = ("F1", "F2")
REFUTED, HOLDS, UNSURE = Ruling.REFUTED, Ruling.HOLDS, Ruling.UNSURE


def said(name: object = "F1", verdict: object = "refuted", **more: object) -> dict[str, object]:
    return {"id": name, "reason": "Line 3 returns before.", "verdict": verdict, **more}


def text(*items: object) -> str:
    return json.dumps({"verdicts": list(items)})


def rulings(answer: str, finish_reason: str = "stop") -> dict[str, Ruling]:
    return {name: one.ruling for name, one in read(answer, finish_reason, IDS).by_id.items()}


def test_an_answer_as_asked_for() -> None:
    answer = text(said(), said("F2", "holds", reason="The loop\nends at 4."))
    assert read(answer, "stop", IDS) == Verdicts(
        {
            "F1": Verdict(REFUTED, "Line 3 returns before."),
            "F2": Verdict(HOLDS, "The loop ends at 4."),
        }
    )


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{text(said())}\n```",
        f"Here are my verdicts:\n{text(said())}\nI hope this helps.",
        f"<think>Perhaps {text(said('F1', 'holds'))}</think>{text(said())}",
        json.dumps([said()]),
        json.dumps(said()),
        json.dumps({"result": {"verdicts": [said()]}}),
        json.dumps({"name": "answer", "arguments": text(said())}),
        '"verdicts": [{"id": "F1", "reason": "Line 3 returns before.", "verdict": "refuted"}]}',
        json.dumps({"Verdicts": [{"ID": "f1 ", "Reason": "r", "Verdict": "Refuted"}]}),
        f'{{"verdicts": [{json.dumps(said())}, {{"id": "F2", "verdict": "refu',
        f'{{"verdicts": [{json.dumps(said())}, {{"id": "F2", oops}}]}}',
    ],
)
def test_what_models_write_around_it(answer: str) -> None:
    assert rulings(answer) == {"F1": REFUTED}


@pytest.mark.parametrize(
    ("items", "ruled"),
    [
        ([said("F3")], {}),
        ([said(" ")], {}),
        ([said(1)], {}),
        ([said("F1, F2")], {}),
        ([said("all")], {}),
        ([said(["F1", "F2"])], {}),
        ([said(verdict=None)], {}),
        ([said(verdict=True)], {}),
        ([said(verdict="probably refuted")], {"F1": UNSURE}),
        ([said(verdict="not refuted")], {"F1": UNSURE}),
        ([said(reason="  ")], {"F1": UNSURE}),
        ([said(reason=None)], {"F1": UNSURE}),
        ([said(), said("F1", "holds")], {"F1": UNSURE}),
        ([said("F1", "holds"), said(), said()], {"F1": UNSURE}),
        ([said(), said("F1", "unsure")], {"F1": UNSURE}),
        ([said(), said(reason="Another.")], {"F1": REFUTED}),
        ([said(), "F2 is refuted"], {"F1": REFUTED}),
    ],
)
def test_only_a_plain_verdict_with_a_reason_refutes(
    items: list[object], ruled: dict[str, Ruling]
) -> None:
    assert rulings(text(*items)) == ruled


@pytest.mark.parametrize(
    ("items", "same_as"),
    [
        ([said("F2", "holds", same_as="F1")], "F1"),
        ([said("F2", "holds", same_as=" f1 ")], "F1"),
        ([said("F2", "holds", sameAs="F1")], "F1"),
        ([{"id": "F2", "same_as": "F1"}], "F1"),
        ([said("F2", verdict=None, same_as="F1")], "F1"),
        ([said("F2", "holds", same_as="F1")] * 2, "F1"),
        ([said("F2", "holds", same_as=None)], ""),
        ([said("F2", "holds")], ""),
        ([said("F2", "holds", same_as="F2")], ""),
        ([said("F2", "holds", same_as="F3")], ""),
        ([said("F2", "holds", same_as="F9")], ""),
        ([said("F2", "holds", same_as="F1, F3")], ""),
        ([said("F2", "holds", same_as=["F1"])], ""),
        ([said("F2", "holds", same_as=1)], ""),
        ([said("F2", "holds", same_as="F1"), said("F2", "holds", same_as=None)], ""),
        ([said("F2", "holds", same_as="F1"), said("F2", "unsure", same_as="F1")], ""),
    ],
)
def test_the_same_is_only_an_earlier_one_that_is_plainly_named(
    items: list[object], same_as: str
) -> None:
    assert read(text(*items), "stop", ("F1", "F2", "F3")).by_id["F2"].same_as == same_as


def test_what_names_no_finding_of_ours_is_counted() -> None:
    assert read(text(said(), said("F9"), said(verdict=None), 7), "stop", IDS).dropped == 3


def test_a_long_reason_is_cut() -> None:
    [one] = read(text(said(reason="x" * 5_000)), "stop", IDS).by_id.values()
    assert len(one.reason) == 300


@pytest.mark.parametrize(
    ("answer", "finish_reason", "words"),
    [
        ("", "stop", "an empty answer"),
        ("", "length", "met the output limit before its first verdict"),
        ('{"verdicts": [{"id": "F1", "rea', "length", "met the output limit"),
        (text(said()), "content_filter", "filtered or refused"),
        ("All findings are refuted.", "stop", "no verdict that could be read"),
        (text(), "stop", "no verdict that could be read"),
        ("[]", "stop", "no verdict that could be read"),
        (text(said("F3")), "stop", "no verdict that could be read"),
        ("[" * 100_000, "stop", "no verdict that could be read"),
        ('{"findings": [{"path": "a.py", "title": "t"}]}', "stop", "no verdict"),
    ],
)
def test_an_answer_without_a_verdict_is_a_failure(
    answer: str, finish_reason: str, words: str
) -> None:
    verdicts = read(answer, finish_reason, IDS)
    assert not verdicts.by_id
    assert words in verdicts.failure


def test_an_answer_that_was_cut_keeps_its_complete_verdicts() -> None:
    verdicts = read(f'{{"verdicts": [{json.dumps(said())}, {{"id": "F2"', "length", IDS)
    assert verdicts.cut_short
    assert list(verdicts.by_id) == ["F1"]
    assert not verdicts.failure


def test_the_schema_asks_for_every_key_as_strict_modes_want() -> None:
    items = SCHEMA["properties"]["verdicts"]["items"]  # type: ignore[index]
    assert sorted(items["required"]) == sorted(items["properties"])
