"""The examination from the first line to the exit code."""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

from pr_review.adapters.actions.log import harmless
from pr_review.commands import flags
from pr_review.commands.doctor import here, hub, model
from pr_review.commands.doctor.told import Grade, Patient, Told, problem, skipped
from pr_review.commands.given import Given, gather, in_actions
from pr_review.commands.wiring import trusted
from pr_review.domain.text import visible_line
from pr_review.errors import PrReviewError
from pr_review.settings import load

Check = Callable[[Patient], Iterator[Told]]

# in the order in which a run meets them
CHECKS: tuple[Check, ...] = (here.settings, here.clone, model.model, hub.github, here.runner)
# what can be said while the settings cannot be read
_WITHOUT_SETTINGS: tuple[Check, ...] = (here.clone, here.runner)

_MARGIN = 23
_NARROW = 60


def run(parsed: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Prints a line for everything looked at, as it is found; the exit code is that of the first
    problem's kind, 0 if there is none. Nothing of a repository is sent anywhere.
    """
    told = []
    for line in examine(parsed, environ):
        told.append(line)
        if parsed.format == "text":
            _print(_shown(line, _width(environ)), environ)
    code = next((line.exit_code for line in told if line.grade is Grade.PROBLEM), 0)
    if parsed.format == "json":
        found = {"exit_code": code, "checks": [line.fields for line in told]}
        _print(json.dumps(found, indent=1), environ)
    else:
        _print(f"\n{_summary(told)}", environ)
    return code


def examine(parsed: argparse.Namespace, environ: Mapping[str, str]) -> Iterator[Told]:
    """Everything that is looked at, one thing after the other."""
    given = Given((flags.layer(parsed),))
    try:
        given = gather(parsed, environ)
        settings = load(*given.layers)
        with trusted(settings) as bundle:
            patient = Patient(parsed, environ, given, settings, bundle)
            if not given.read_at:
                patient = hub.with_file(patient)
            for check in CHECKS:
                yield from check(patient)
    except PrReviewError as error:
        yield problem("settings", error)
        yield skipped("model, github", "not looked at before the settings can be read")
        patient = Patient(parsed, environ, given, load())
        for check in _WITHOUT_SETTINGS:
            yield from check(patient)


def _shown(line: Told, width: int) -> str:
    """Grade, topic and text in columns; below one another where the terminal is narrow."""
    texts = [visible_line(line.text)]
    if line.remedy:
        texts.append(f"→ {visible_line(line.remedy)}")
    head = f"{line.grade.value:<8} {line.topic}"
    if width < _NARROW:
        return "\n".join([head, *(_wrapped(text, "  ", width) for text in texts)])
    first, *rest = (_wrapped(text, " " * _MARGIN, width) for text in texts)
    return "\n".join([f"{head:<{_MARGIN}}{first.strip()}", *rest])


def _wrapped(text: str, indent: str, width: int) -> str:
    return textwrap.fill(
        text, width, initial_indent=indent, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _width(environ: Mapping[str, str]) -> int:
    """Of the terminal; what is read by a program is not wrapped."""
    told = environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or sys.maxsize
    except (OSError, ValueError):
        return sys.maxsize


def _summary(told: Sequence[Told]) -> str:
    problems = [line for line in told if line.grade is Grade.PROBLEM]
    warnings = sum(line.grade is Grade.WARNING for line in told)
    skips = sum(line.grade is Grade.SKIPPED for line in told)
    counts = f"{_counted(warnings, 'warning')}, {skips} not looked at"
    if not problems:
        return f"no problem found; {counts}"
    code = problems[0].exit_code
    return f"{_counted(len(problems), 'problem')}, {counts}; exit code {code} is the first one's"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _print(text: str, environ: Mapping[str, str]) -> None:
    sys.stdout.write((harmless(text) if in_actions(environ) else text) + "\n")
    sys.stdout.flush()
