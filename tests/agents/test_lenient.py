"""The tolerant reader: what it reads is what JSON says, and it never invents."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.agents.lenient import MAX_DEPTH, Malformed, Reader

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)  # fmt: skip


@given(value=VALUES, indent=st.sampled_from([None, 1]), ascii_=st.booleans())
def test_valid_json_is_read_as_json_reads_it(
    value: object, indent: int | None, *, ascii_: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_)
    reader = Reader(text)
    assert reader.read(0) == (json.loads(text), len(text))
    assert not reader.cut
    assert not reader.broken


@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=9), min_size=1), min_size=1),
    st.data(),
)
def test_a_cut_list_keeps_whole_items_only(
    items: list[dict[str, str]], data: st.DataObject
) -> None:
    text = json.dumps(items)
    at = data.draw(st.integers(min_value=1, max_value=len(text) - 1))
    reader = Reader(text[:at])
    kept, _ = reader.read(0)
    assert isinstance(kept, list)
    assert kept == items[: len(kept)]
    assert reader.cut
    assert not reader.broken


@pytest.mark.parametrize(
    "text", ["", "tru", '"open', '{"a"', '{"a":', '{"a": tru', '["\\', '["\\u00']
)
def test_every_kind_of_value_can_be_cut(text: str) -> None:
    reader = Reader(text)
    reader.read(0)
    assert reader.cut


@pytest.mark.parametrize(
    "text", ["{draft}", "[see]", "{'a': 1}", "nope ", "]", '{"a", 1}', '{"a": 1; }']
)
def test_what_is_not_json_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        Reader(text).read(0)


def test_nesting_has_a_bound() -> None:
    fits = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert Reader(fits).read(0)[1] == len(fits)
    with pytest.raises(Malformed) as caught:
        Reader("[" * 5_000).read(0)
    assert caught.value.deep
    assert caught.value.at == MAX_DEPTH + 1


def test_surrogate_escapes_become_characters() -> None:
    assert Reader(r'"\ud83d\ude00\ud800"').read(0)[0] == "\U0001f600\ufffd"


def test_of_a_repeated_key_no_list_is_lost() -> None:
    assert Reader('{"a": [1], "a": null, "a": [2], "b": 1, "b": 2}').read(0)[0] == {
        "a": [1, 2],
        "b": 2,
    }


def test_numbers_that_python_refuses_are_none() -> None:
    assert Reader(f"[{'9' * 5_000}, NaN, -Infinity, 1e400]").read(0)[0] == [
        None,
        None,
        None,
        float("inf"),
    ]


def test_one_item_that_nests_too_deep_costs_one() -> None:
    reader = Reader('[{"a": 1}, {"a": ' + "[" * 99 + "]" * 99 + '}, {"a": 2}]')
    assert reader.read(0)[0] == [{"a": 1}, {"a": 2}]
    assert reader.broken == 1
