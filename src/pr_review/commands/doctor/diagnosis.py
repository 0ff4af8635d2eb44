"""What an examination tells: one line a thing looked at, with a grade and a remedy."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, auto
from pathlib import Path

from pr_review.adapters.github import Client
from pr_review.adapters.github.access import Access
from pr_review.commands.given import Given
from pr_review.domain.pull_request import PullRequest
from pr_review.errors import ConfigurationError, PrReviewError
from pr_review.settings import Settings


class Grade(StrEnum):
    """`skipped` was not looked at, and the line says why: it is no good news."""

    OK = auto()
    WARNING = auto()
    PROBLEM = auto()
    SKIPPED = auto()


class Topic(StrEnum):
    """What is looked at, in the order of a run."""

    SETTINGS = auto()
    GIT = auto()
    CLONE = auto()
    MODEL = auto()
    KEY = auto()
    PRICE = auto()
    WINDOW = auto()
    SERVER = auto()
    ANSWER = auto()
    GITHUB = auto()
    RATE_LIMIT = "rate limit"
    RIGHTS = auto()
    PULL_REQUEST = "pull request"
    RUNNER = auto()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing looked at. `exit_code` is what a run would end with, 0 but for a problem."""

    topic: Topic
    grade: Grade
    text: str
    remedy: str = ""
    exit_code: int = 0

    @property
    def fields(self) -> dict[str, object]:
        """The same as JSON."""
        return {
            "topic": self.topic.value,
            "grade": self.grade.value,
            "text": self.text,
            "remedy": self.remedy,
            "exit_code": self.exit_code,
        }


@dataclass(frozen=True, slots=True)
class Visit:
    """What GitHub said when it was asked, once. `unable` ends it early; `branch`, whose file
    counts, is empty then.
    """

    client: Client | None = None
    seen: Access | None = None
    pull: PullRequest | None = None
    branch: str = ""
    file: str | None = None
    unable: Diagnosis | None = None


@dataclass(frozen=True, slots=True)
class Patient:
    """What is examined. `bundle` is what `trusted` gives; a server may be silent for `seconds`.
    `visit` is None until GitHub was asked.
    """

    parsed: argparse.Namespace
    environ: Mapping[str, str]
    given: Given
    settings: Settings
    bundle: Path | None = None
    seconds: float = 5.0
    visit: Visit | None = None


def ok(topic: Topic, text: str) -> Diagnosis:
    """What works."""
    return Diagnosis(topic, Grade.OK, text)


def warning(topic: Topic, text: str, remedy: str = "") -> Diagnosis:
    """What works, and may not do what is wanted."""
    return Diagnosis(topic, Grade.WARNING, text, remedy)


def skipped(topic: Topic, text: str, remedy: str = "") -> Diagnosis:
    """What was not looked at, and why."""
    return Diagnosis(topic, Grade.SKIPPED, text, remedy)


def problem(topic: Topic, error: PrReviewError) -> Diagnosis:
    """What a run would end with."""
    return Diagnosis(topic, Grade.PROBLEM, error.message, error.remedy, error.exit_code)


def wrong(topic: Topic, text: str, remedy: str) -> Diagnosis:
    """A problem of configuration."""
    return problem(topic, ConfigurationError(text, remedy=remedy))
