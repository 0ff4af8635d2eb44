"""The model server says what OpenAI's does, whole and streamed."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.standins import models
from tests.standins.models import ModelServer


def post(server: ModelServer, **body: object) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=5)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body))
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def test_a_script_is_played_in_order_and_its_last_reply_stays() -> None:
    with ModelServer([models.rate_limited("7"), models.answer([{"path": "a.py"}])]) as server:
        status, headers, _ = post(server, messages=[])
        assert (status, headers["Retry-After"]) == (429, "7")
        for _ in range(2):
            status, _, body = post(server, messages=[])
            completion = json.loads(body)
            text = completion["choices"][0]["message"]["content"]
            assert (status, json.loads(text)) == (200, {"findings": [{"path": "a.py"}]})
            assert completion["usage"]["total_tokens"] == 120
        assert len(server.requests) == 3


def test_a_stream_holds_the_same_words_reason_and_usage() -> None:
    with ModelServer(models.completion("three little words", usage=(5, 3))) as server:
        _, headers, body = post(server, stream=True, messages=[])
    assert headers["Content-Type"] == "text/event-stream"
    lines = body.decode().strip().split("\n\n")
    assert lines[-1] == "data: [DONE]"
    chunks: list[dict[str, Any]] = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    assert "".join(c["delta"].get("content", "") for c in choices) == "three little words"
    assert choices[-1]["finish_reason"] == "stop"
    assert chunks[-1]["usage"]["completion_tokens"] == 3


def test_a_dropped_connection_says_nothing() -> None:
    with ModelServer(models.dropped()) as server, pytest.raises(http.client.RemoteDisconnected):
        post(server, messages=[])


def test_a_server_without_a_script_says_so() -> None:
    with ModelServer() as server:
        status, _, body = post(server, messages=[])
    assert status == 500
    assert b"no script" in body


def test_the_server_stops_while_a_client_hangs() -> None:
    with ModelServer(models.hanging()) as server:
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=5)
        connection.request("POST", "/v1/chat/completions", "{}")
        assert not server.wait(0.2)
    with pytest.raises(ConnectionResetError):
        connection.getresponse()
    connection.close()
