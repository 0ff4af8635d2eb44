"""Settings: flags over inputs over `.github/pr-review.yml` over defaults.

The one place where outward names are known. Everything below sees the small frozen policies
that `Settings` fills, never the environment.
"""

from pr_review.settings.layers import FILE, NOT_A_FLAG, NOT_IN_FILE, OFF, Layer, file, inputs, load
from pr_review.settings.model import GUIDELINES, NAMES, NO_MODEL, Settings, choices, default
from pr_review.settings.rules import RuleSetting

__all__ = [
    "FILE",
    "GUIDELINES",
    "NAMES",
    "NOT_A_FLAG",
    "NOT_IN_FILE",
    "NO_MODEL",
    "OFF",
    "Layer",
    "RuleSetting",
    "Settings",
    "choices",
    "default",
    "file",
    "inputs",
    "load",
]
