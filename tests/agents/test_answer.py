"""From a reply to findings: each shape that models were seen to send."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.agents.answer import Answer, read
from pr_review.agents.catalogue import catalogue
from pr_review.agents.lenient import MAX_DEPTH, MAX_STEPS
from tests.shared import shared

BUGS = catalogue()[0]
ONE = '{"path": "a.py", "start_line": 3, "end_line": 3, "title": "t", "body": "x"}'
TWO = '{"path": "a.py", "start_line": 5, "end_line": 5, "title": "u", "body": "y"}'

# What the shared replies must give, by name: findings and dropped items, or None for a failure.
SHAPES: dict[str, tuple[int, int] | None] = {
    "plain": (1, 0),
    "fence": (1, 0),
    "bare fence, CRLF": (1, 0),
    "prose with brackets around": (1, 0),
    "fence inside a string": (1, 0),
    "raw newline in a string": (1, 0),
    "trailing commas": (1, 0),
    "bare list": (1, 0),
    "two objects": (2, 0),
    "duplicate key": (1, 0),
    "bad escape": (1, 0),
    "double encoded": (1, 0),
    "byte order mark": (1, 0),
    "tool call wrapper": (1, 0),
    "LGTM prose": None,
    "null": None,
    "empty list": (0, 0),
    "NaN and huge numbers": (1, 0),
    "one bad item among good": (2, 3),
}


def stopped(text: str) -> Answer:
    return read(text, "stop", BUGS)


def case(path: str) -> Any:
    return json.loads(shared(f"cases/{path}").read_text(encoding="utf-8"))


def replies(path: str) -> list[tuple[str, str]]:
    """Text and finish reason of each completion of a case, as an adapter hands them on."""
    choices = [reply["choices"][0] for reply in case(path) if reply.get("choices")]
    return [
        (choice["message"].get("content") or "", choice["finish_reason"])
        for choice in choices
        if not isinstance(choice["message"].get("content"), list)
    ]


@pytest.mark.parametrize("name", SHAPES)
def test_c01_each_shape_gives_its_findings(name: str) -> None:
    texts = {reply["name"]: reply["text"] for reply in case("c01-json-shapes/replies.json")}
    assert set(texts) == set(SHAPES)
    answer = stopped(texts[name])
    expected = SHAPES[name]
    if expected is None:
        assert answer.failure
        assert answer.repairable
        assert not answer.findings
    else:
        assert not answer.failure
        assert (len(answer.findings), answer.dropped) == expected


def test_c01_strings_come_out_as_they_were_meant() -> None:
    texts = {reply["name"]: reply["text"] for reply in case("c01-json-shapes/replies.json")}
    bodies = {
        name: stopped(texts[name]).findings[0].body for name in texts if SHAPES[name] == (1, 0)
    }
    assert bodies["fence inside a string"] == "use:\n```python\nx = {1: 2}\n```"
    assert bodies["raw newline in a string"] == "a\nb"
    assert bodies["bad escape"].startswith(r"\d+ and C:")


def test_c01_deep_nesting_is_a_failure_and_takes_no_time() -> None:
    answer = stopped(shared("cases/c01-json-shapes/deep.txt").read_text())
    assert answer.failure


def test_c02_complete_items_of_a_cut_answer_are_kept() -> None:
    answers = [
        read(text, reason, BUGS) for text, reason in replies("c02-cut-json/completions.json")
    ]
    assert [len(answer.findings) for answer in answers] == [1, 1, 0, 1]
    assert all(answer.cut_short for answer in answers)
    assert [bool(answer.failure) for answer in answers] == [False, False, True, False]
    assert "max-output-tokens" in answers[2].failure


def test_c05_an_answer_is_checked_as_if_no_format_was_asked_for() -> None:
    answer = stopped('{"findings": [{"path": ["a.py"], "severity": 4}], "verdict": "good"}')
    assert answer.failure
    assert answer.dropped == 1


def test_c10_filtered_and_refused_answers_have_failed() -> None:
    answers = [
        read(text, reason, BUGS)
        for text, reason in replies("c10-filters-and-refusals/completions.json")
    ]
    assert len(answers) == 4
    assert all(answer.failure and not answer.findings for answer in answers)
    assert [answer.repairable for answer in answers] == [False, False, True, False]


def test_c11_empty_answers_have_failed_with_words_to_act_on() -> None:
    answers = [
        read(text, reason, BUGS) for text, reason in replies("c11-empty-answers/completions.json")
    ]
    assert len(answers) == 5
    assert all(answer.failure and not answer.repairable for answer in answers)
    assert "raise max-output-tokens" in answers[0].failure
    assert "tool_calls" in answers[4].failure


C15_RANGES = {
    "6": (6, 6), '"6"': (6, 6), '"6.0"': (6, 6), "6.0": (6, 6), '"L6"': (6, 6), '"5-7"': (5, 7),
    "[5, 7]": (5, 7), "4000": (4000, 4000), "6.5": (None, None), "0": (None, None),
    "-3": (None, None), "null": (None, None), "true": (None, None), '"N/A"': (None, None),
    '"999999999999999999999999999999"': (None, None),
}  # fmt: skip


def test_c15_every_finding_survives_its_odd_line() -> None:
    given_items = case("c15-lines-that-do-not-exist/findings.json")["findings"]
    for item in given_items:
        answer = stopped(json.dumps({"findings": [{**item, "body": "x"}]}))
        assert len(answer.findings) == 1, item
        found = answer.findings[0]
        spelt = json.dumps(item["line"])
        if "start_line" in item:
            first, last = sorted((item["start_line"], item["line"]))
            assert (found.start, found.end) == (first, last)
        elif spelt in C15_RANGES:
            assert (found.start, found.end) == C15_RANGES[spelt], item
        else:
            assert found.start == found.end == item["line"]


def test_c16_paths_are_kept_as_written_and_items_without_one_are_counted() -> None:
    items = [
        {**item, "body": "x"}
        for item in case("c16-files-not-in-the-diff/findings.json")["findings"]
    ]
    answer = stopped(json.dumps({"findings": items}))
    assert [found.path for found in answer.findings] == [
        item["file"] for item in items if item["file"]
    ]
    assert answer.dropped == 2


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (f'<think>maybe {{"findings": [{ONE}]}}</think>{{"findings": [{TWO}]}}', ["u"]),
        (f'maybe {{"findings": [{ONE}]}}</think>\n{{"findings": [{TWO}]}}', ["u"]),
        (f'<think>x</think><think>{ONE}</think>```json\n[{TWO}]\n```', ["u"]),
        (f'{{"findings": [{ONE.replace("x", "drop </think> here")}]}}', ["t"]),
        (f'{{"result": {{"findings": [{ONE}]}}}}', ["t"]),
        (json.dumps({"name": "report", "arguments": f'{{"findings": [{ONE}]}}'}), ["t"]),
        (f'{{"findings": [{ONE}, {ONE}]}}', ["t"]),
        (f"{ONE}\n{TWO}", ["t", "u"]),
        (f'{{"issues": [{ONE}]}}', ["t"]),
        (f'{{"findings": [{ONE}], "summary": "a "b", c"}}', ["t"]),
        (f"[{ONE}, {TWO}", ["t", "u"]),
        (f'As {{"findings" goes: {{"findings": [{ONE}]}}', ["t"]),
        (f'{{"findings": [{ONE} {TWO}]}}', ["t", "u"]),
        (f'<Thinking time="3">{ONE}</THINKING>{TWO}', ["u"]),
        (f"<seed:think>{ONE}</seed:think>{TWO}", ["u"]),
        (f"<think/>{ONE}", ["t"]),
        (f"[THINK]{ONE}[/THINK]{TWO}", ["u"]),
        (f"<think><analysis>x</analysis>{ONE}</think>{TWO}", ["u"]),
        (f"<|channel|>analysis<|message|>{ONE}<|end|><|channel|>final<|message|>{TWO}", ["u"]),
        (f"analysis: {ONE}assistantfinal{TWO}", ["u"]),
        (f'"findings": [{ONE}]}}', ["t"]),
        (f'<tool_call>{{"name": "f", "arguments": {{"findings": [{ONE}]}}}}</tool_call>', ["t"]),
        (json.dumps({"tool_calls": [{"function": {"arguments": f'{{"findings": [{ONE}]}}'}}]}),
         ["t"]),
        (f'{{"Findings": [{ONE}], "FINDINGS": [{TWO}]}}', ["t", "u"]),
        (f"\ufeff{ONE}\r\n{TWO}\r\n", ["t", "u"]),
        (f'{{"findings": []}} is what I first thought, but: {ONE}', ["t"]),
    ],
)  # fmt: skip
def test_reports_are_found_wherever_they_stand(text: str, titles: list[str]) -> None:
    answer = stopped(text)
    assert [found.title for found in answer.findings] == titles
    assert not answer.failure


@pytest.mark.parametrize(
    "text",
    [
        '<think>{"findings": []}',
        '<think>{"findings": []}</think>',
        '<think>{"findings": []}</think>LGTM',
        '<|channel|>analysis<|message|>draft {"findings": []}<|channel|>final<|message|>LGTM',
        'none, so {"findings": []}, assistantfinalLooks good',
        '[THINK]{"findings": []}',
        'I would have said {"findings": []}, but the file cannot be read.',
        "`x = []` looks fine to me",
        "I would answer {} here",
        "[1, 2]",
        '"LGTM"',
        '{"findings": null}',
        '{"findings": "none"}',
        '{"findings": {}}',
        "{",
        "{'findings': []}",
        "findings: []",
        '"findings" are none',
        "<html><body>502 Bad Gateway</body></html>",
        '{"error": {"message": "overloaded"}}',
        pytest.param("[" * (MAX_DEPTH * 3), id="deep"),
        '{"findings": ["looks good"]}',
        json.dumps({"arguments": '{"findings": [{"path": "a.py", "body": "x"}, {"pa'}),
        json.dumps({"arguments": "{findings}"}),
        pytest.param('"' + "\\n" * MAX_STEPS, id="endless string"),
        pytest.param('{"a": ' * 6 + f'{{"findings": [{ONE}]}}' + "}" * 6, id="six envelopes"),
    ],
)
def test_what_is_no_report_is_never_no_findings(text: str) -> None:
    answer = stopped(text)
    assert answer.failure
    assert answer.repairable


@pytest.mark.parametrize(
    "text",
    [
        '{"findings": []}',
        "[]",
        "```json\n[]\n```",
        ' {"findings":[]} ',
        '\ufeff{"Findings": []}',
        'I found nothing: {"findings": []}',
        '{"findings": []}\n\nThe change is small.',
        '<answer>{"findings": []}</answer>',
        '<think>perhaps {"x": 1}</think>\n\n{"findings": []}',
        '"findings": []}',
    ],
)
def test_an_empty_report_is_no_findings(text: str) -> None:
    assert stopped(text) == Answer()


def test_one_broken_item_in_ten_costs_one() -> None:
    items = [ONE.replace("3", str(number)) for number in range(1, 11)]
    items[4] = '{"path": "a.py", "body": "says "so", and } more", "start_line": 5}'
    answer = stopped('{"findings": [' + ", ".join(items) + "]}")
    assert [found.start for found in answer.findings] == [1, 2, 3, 4, 6, 7, 8, 9, 10]
    assert answer.dropped == 1
    assert not answer.cut_short


def test_one_broken_line_of_many_costs_one() -> None:
    answer = stopped(f'{ONE}\n{{"path": "a.py", oops}}\n{TWO}')
    assert [found.title for found in answer.findings] == ["t", "u"]
    assert answer.dropped == 1


def test_a_thousand_findings_are_kept() -> None:
    items = [ONE.replace("3", str(number)) for number in range(1, 1001)]
    answer = stopped('{"findings": [' + ",".join(items) + "]}")
    assert [found.start for found in answer.findings] == list(range(1, 1001))


@pytest.mark.parametrize(
    "piece",
    [
        '{"a',
        '[{"a":',
        '[{"a":[{"b":1},',
        '[{"a":[{"b":1}]x,',
        '{"a":[{"b":1},{"c":2}]x},',
        "} ",
        '["',
    ],
)
def test_hostile_nests_end_soon(piece: str) -> None:
    started = time.process_time()
    stopped('{"findings": [' + piece * 3_000)
    stopped(piece * 3_000 + " " * 50_000 + "x")
    assert time.process_time() - started < 8


def test_a_text_that_stops_early_is_cut_short_whatever_the_provider_says() -> None:
    answer = stopped(f'{{"findings": [{ONE}, {{"path": "b.py", "bo')
    assert len(answer.findings) == 1
    assert answer.cut_short


@given(st.text(alphabet='[]{}":,\\ntrufalse019.-e<think>/ `\n', max_size=200))
def test_no_text_raises_and_none_without_a_list_passes_for_clean(text: str) -> None:
    answer = stopped(text)
    assert answer.findings or answer.failure or "[" in text


@given(st.integers(min_value=1, max_value=400), st.integers(min_value=1, max_value=6))
def test_a_cut_at_any_place_keeps_the_complete_items(at: int, count: int) -> None:
    items = [ONE.replace("3", str(number)) for number in range(1, count + 1)]
    text = '{"findings": [' + ", ".join(items)
    answer = read(text[:at], "length", BUGS)
    ends = [len('{"findings": [' + ", ".join(items[:n])) for n in range(1, count + 1)]
    assert len(answer.findings) == sum(end <= at for end in ends)
    assert answer.cut_short
