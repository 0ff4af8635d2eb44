"""What is on this machine: settings, git and the clone, and in a workflow the runner."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pr_review.adapters.actions.checkout import token_warning
from pr_review.adapters.actions.environment import RunnerEnvironment, in_actions
from pr_review.adapters.git import LocalSource
from pr_review.adapters.git.version import OLDEST, git_version
from pr_review.adapters.llm.process import can_change_user
from pr_review.commands.doctor.diagnosis import (
    Diagnosis,
    Patient,
    Topic,
    ok,
    problem,
    skipped,
    warning,
    wrong,
)
from pr_review.commands.given import DEFAULT
from pr_review.commands.reviewing import SHARED_UID
from pr_review.commands.wiring import passed_to_git
from pr_review.errors import PrReviewError
from pr_review.settings import FILE, NAMES


def settings(patient: Patient) -> Iterator[Diagnosis]:
    """Which ones are set, and where."""
    given = patient.given
    for text in given.warnings:
        yield warning(Topic.SETTINGS, text)
    places = defaultdict[str, list[str]](list)  # without lines, which `config` tells
    for name in NAMES:
        places[given.origin(name).partition(", line ")[0]].append(name)
    found = [f"{', '.join(names)} ({at})" for at, names in places.items() if at != DEFAULT]
    yield ok(Topic.SETTINGS, f"set: {'; '.join(found)}" if found else "all have their defaults")
    if given.problem and not given.read_at:
        yield skipped(Topic.SETTINGS, f"no {FILE} was read: {given.problem.message}")


def clone(patient: Patient) -> Iterator[Diagnosis]:
    """git, and the commits that `local` and `snapshot` would compare."""
    passed = passed_to_git(patient.environ)
    try:
        version = git_version(passed)
    except PrReviewError as error:
        yield problem(Topic.GIT, error)
        return
    shown = ".".join(map(str, version)) or "of unknown version"
    if version < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        yield wrong(Topic.GIT, f"git is {shown}, too old", f"install git {oldest} or later")
        return
    yield ok(Topic.GIT, f"git {shown}")
    yield from _commits(patient)


def _commits(patient: Patient) -> Iterator[Diagnosis]:
    given, parsed = patient.given, patient.parsed
    if given.problem:
        asked = bool(parsed.repo or parsed.base)
        if in_actions(patient.environ) and not asked:
            yield skipped(Topic.CLONE, "none is needed here: the action fetches the commits itself")
        else:
            yield problem(Topic.CLONE, given.problem)
        return
    try:
        with LocalSource(
            Path(parsed.repo or "."), base=given.read_at, head="HEAD",
            max_bytes=patient.settings.max_diff_bytes, passed=passed_to_git(patient.environ),
        ) as source:  # fmt: skip
            ids = (source.merge_base[:12], source.head[:12])
    except PrReviewError as error:
        yield problem(Topic.CLONE, error)
        return
    yield ok(Topic.CLONE, f"HEAD is {ids[1]}, and left {given.read_at} at {ids[0]}")


def runner(patient: Patient) -> Iterator[Diagnosis]:
    """What the runner gives an action."""
    if not in_actions(patient.environ):
        yield skipped(Topic.RUNNER, "this is not GitHub Actions")
        return
    try:
        runner = RunnerEnvironment.of(patient.environ)
    except PrReviewError as error:
        yield problem(Topic.RUNNER, error)
        return
    yield _writable(runner.runner_temp)
    if text := token_warning(runner.workspace):
        yield warning(Topic.RUNNER, text)
    if not patient.settings.has_model:
        return
    if can_change_user():
        yield ok(Topic.RUNNER, "the model's process runs as a user of its own")
    else:
        yield warning(Topic.RUNNER, SHARED_UID)


def _writable(folder: Path) -> Diagnosis:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ok(Topic.RUNNER, f"reports can be written to {folder}")
    except OSError as error:
        return wrong(
            Topic.RUNNER, f"no file can be written to RUNNER_TEMP, {folder}: {error.strerror}",
            "let the container's user write there",
        )  # fmt: skip
