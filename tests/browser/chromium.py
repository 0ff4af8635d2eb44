"""A headless Chromium, driven over a pipe in its DevTools protocol: no port, no driver."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 60


def executable() -> str:
    """The browser's path. Skips if there is none, unless it is required."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        if os.environ.get("PR_REVIEW_BROWSER") == "required":
            pytest.fail("a browser is required here and none was found: install chromium")
        pytest.skip("needs Chromium, which was not found")
    return found


class Browser:
    """Commands to one browser. What it reports by itself is kept in `events`."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = to, back
        self._buffer = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Runs a command and returns its result. Fails if the browser refuses it."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._last:
            self.events.append(answer)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def wait(self, method: str) -> None:
        """Until an event of that name was reported."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._back], [], [], deadline - time.monotonic())
            assert ready, "the browser does not answer"
            data = os.read(self._back, 1 << 20)
            assert data, "the browser has ended"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        loaded: dict[str, Any] = json.loads(message)
        return loaded


class Tab:
    """One page in the browser, 1280 pixels wide unless told otherwise."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._target = target
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self.call(f"{domain}.enable")
        self.size(1280, 900)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        return self._browser.call(method, self._session, **params)

    def size(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def open(self, url: str) -> float:
        """Loads a page; returns how many seconds that took."""
        self._browser.events.clear()
        start = time.monotonic()
        self.call("Page.navigate", url=url)
        self._browser.wait("Page.loadEventFired")
        return time.monotonic() - start

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of the page's own world, after the next frame."""
        frame = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
        return self._value(f"{frame}.then(() => ({expression}))", awaitPromise=True)

    def at_once(self, expression: str) -> Any:
        """The same without waiting for a frame: works where the page may run no script."""
        return self._value(expression)

    def _value(self, expression: str, **options: Any) -> Any:
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, **options)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def type(self, selector: str, text: str) -> None:
        """Types into a field, as a person does."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", text=text)

    def press(self, key: str, text: str) -> None:
        """Presses a key that types `text`, and lets it go."""
        code = ord(text)
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                text=text if kind == "keyDown" else "",
            )

    def metric(self, name: str) -> float:
        """One of the browser's own measures, such as `Nodes`."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return float(next(metric["value"] for metric in metrics if metric["name"] == name))

    def complaints(self) -> list[str]:
        """Everything that the console, the log and uncaught exceptions said since `open`."""
        names = {"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}
        return [json.dumps(e["params"]) for e in self._browser.events if e.get("method") in names]

    def requests(self) -> list[str]:
        """The addresses that the page asked for since `open`, its own included."""
        return [
            event["params"]["request"]["url"]
            for event in self._browser.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def close(self) -> None:
        self._browser.call("Target.closeTarget", targetId=self._target)


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser that has its profile in a folder; it ends with the block."""
    read, to = os.pipe()
    back, write = os.pipe()
    # The browser reads from descriptor 3 and writes to 4; only a shell can name them for us.
    command = (
        'exec "$0" --headless --no-sandbox --disable-gpu --no-first-run '
        "--disable-background-networking --disable-component-update --remote-debugging-pipe "
        f'--user-data-dir="$1" 3<&{read} 4>&{write}'
    )
    process = subprocess.Popen(
        ["bash", "-c", command, executable(), str(profile)],
        pass_fds=(read, write),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(profile)},
    )
    os.close(read)
    os.close(write)
    try:
        opened = Browser(to, back)
        yield opened
        opened.call("Browser.close")
        process.wait(_PATIENCE)
    finally:
        process.kill()
        process.wait()
        os.close(to)
        os.close(back)
