"""Settings: whatever a file or an input holds, they hold, or one line says what is wrong."""

from __future__ import annotations

from collections.abc import Callable

from pr_review.domain.text import visible_line
from pr_review.errors import ConfigurationError
from pr_review.settings import NOT_IN_FILE, Layer, file, inputs, load

_SECRET = "sk-do-not-tell-7f3a"
_LONGEST_WORDS = 1_000


def check(data: bytes) -> None:
    """The same text as a file, and as inputs: `name=value`, one a line."""
    text = data.decode("utf-8", "replace").replace(_SECRET, "")
    _loads(lambda: (file(text),))
    rows = (line.partition("=") for line in text.split("\n"))
    given = {f"INPUT_{name.strip().upper()}": value for name, _, value in rows if name.strip()}
    layer, warnings = inputs({"INPUT_MODEL": "openai/gpt-5", **given, "INPUT_API-KEY": _SECRET})
    for warning in warnings:
        _tells(warning)
    _loads(lambda: (layer,))


def _loads(layers: Callable[[], tuple[Layer, ...]]) -> None:
    """Nothing but `ConfigurationError`; and all that follows from settings that loaded is to be
    had."""
    try:
        given = layers()
        settings = load(*given)
        settings.event_policy("octo/shop")
    except ConfigurationError as error:
        _tells(str(error))
        return
    assert given[0].origin == "input" or not NOT_IN_FILE & given[0].values.keys()
    assert _SECRET not in repr(settings)
    settings.snapshot_policy().excludes("src/a.py")
    for policy in (
        settings.agent_policy, settings.judge_policy, settings.review_policy,
        settings.checks_policy, settings.model_settings, settings.fallback_settings, settings.gates,
    ):  # fmt: skip
        policy()
    assert len(settings.digest()) == 16


def _tells(words: str) -> None:
    """One line that a terminal can print, without a secret, and not as long as what it is about."""
    assert words == visible_line(words)
    assert _SECRET not in words
    assert len(words) <= _LONGEST_WORDS
