"""No test sees the world around it: the environment is scrubbed, only loopback is reachable."""

from __future__ import annotations

import gc
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.faults.table import CELL, MODEL, table

_SCRUBBED = (
    "GITHUB_",
    "INPUT_",
    "RUNNER_",
    "ACTIONS_",
    "GIT_",
    "LITELLM_",
    "AWS_",
    "AZURE_",
    "GOOGLE_",
)
_SCRUBBED_PARTS = ("API_KEY", "API_BASE", "TOKEN", "PROXY", "proxy")
_LOOPBACK = ("127.", "::1", "localhost")

settings.register_profile("suite", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("suite")

for _name in list(os.environ):
    if _name.startswith(_SCRUBBED) or any(part in _name for part in _SCRUBBED_PARTS):
        del os.environ[_name]


def pytest_configure() -> None:
    """Modules and tests live to the end: to look for garbage among them takes a tenth of the time
    of all tests."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what came of each fault of each call, once and for good, and of failing models."""
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    told = [told for report in reports for told in report.user_properties]
    for kind, title in ((CELL, "faults: once / for good"), (MODEL, "failing models")):
        if cells := [value for name, value in told if name == kind]:
            terminalreporter.section(title)
            terminalreporter.write_line(table(cells))


@pytest.fixture(autouse=True, scope="session")
def only_loopback() -> Iterator[None]:
    """Connections to anywhere else fail at once, and say where they wanted to go."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
            raise AssertionError(f"a test wanted to connect to {address}")
        connect(self, address)

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", guarded)
    yield
    patch.undo()


@pytest.fixture(autouse=True, scope="session")
def kept_parsers() -> Iterator[None]:
    """Snapshots in this process are read by one and the same parsing process."""
    from tests.standins import kept_parser

    with kept_parser.kept_parsers():
        yield


@pytest.fixture(scope="module")
def own_parsers() -> Iterator[None]:
    """Each reader of a module has a parsing process of its own, as in a run."""
    from tests.standins import kept_parser

    with kept_parser.own_parsers():
        yield


@pytest.fixture(scope="module")
def one_process() -> Iterator[None]:
    """Runs of the action in this process ask one and the same model process."""
    from tests.standins.kept_process import kept_process

    with kept_process():
        yield
