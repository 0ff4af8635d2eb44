"""The bundled encoding, and what stands in where there is none."""

from __future__ import annotations

import json
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.adapters import tokens
from pr_review.adapters.tokens import BytesThird, O200k, token_counter
from pr_review.agents.quote import family_factor
from tests.shared import shared


def test_the_bundled_encoding_counts_as_published() -> None:
    counter = token_counter()
    assert counter.name == "o200k_base"
    assert counter.count("") == 0
    assert counter.count("hello world") == 2
    assert counter.count("def f(x):\n    return x\n") == 8


def test_special_tokens_of_a_model_are_plain_text() -> None:
    """A file may hold them; they must neither raise nor count as one token."""
    assert token_counter().count("<|endoftext|>") > 1


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_no_text_raises(text: str) -> None:
    assert token_counter().count(text) >= 0
    assert BytesThird().count(text) >= 0


def test_a_long_run_of_one_character_is_counted_in_time() -> None:
    assert token_counter().count("a" * 2_000 * 50) > 0


def test_c14_one_bundled_encoding_serves_every_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """No name of a model makes anything be downloaded, and a megabyte on one line is counted."""
    for name in json.loads(shared("cases/c14-tokenizers/models.json").read_text()):
        assert family_factor(name) >= 1

    def reached(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "create_connection", reached)
    monkeypatch.setattr(socket.socket, "connect", reached)
    counter = O200k()
    started = time.process_time()
    assert counter.count("var a=1;" * 125_000) > 100_000
    assert time.process_time() - started < 3


def test_the_environment_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/nowhere")
    before = dict(os.environ)
    assert O200k().count("hello world") == 2
    assert dict(os.environ) == before
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    O200k()
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


def test_threads_that_load_it_at_once_do_not_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    load = tiktoken.get_encoding

    def slowly(name: str) -> tiktoken.Encoding:
        time.sleep(0.01)
        return load(name)

    monkeypatch.setattr(tiktoken, "get_encoding", slowly)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    with ThreadPoolExecutor(4) as pool:
        counters = list(pool.map(lambda _: O200k(), range(8)))
    assert {counter.count("hello world") for counter in counters} == {2}
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


def test_without_the_encoding_bytes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise OSError("no o200k encoding")

    monkeypatch.setattr(tokens, "_bundled", missing)
    token_counter.cache_clear()
    try:
        counter = token_counter()
    finally:
        token_counter.cache_clear()
    assert counter.name == "bytes/3"
    assert [counter.count(text) for text in ("", "a", "abc", "abcd", "é路")] == [0, 1, 1, 2, 2]
