"""The examination from the first line to the exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from pr_review.commands import flags
from pr_review.commands.doctor import here, hub, model
from pr_review.commands.doctor.diagnosis import Diagnosis, Grade, Patient, Topic, problem, skipped
from pr_review.commands.given import Given, gather
from pr_review.commands.printing import screen, show
from pr_review.commands.wiring import trusted
from pr_review.domain.text import visible_line
from pr_review.domain.words import counted
from pr_review.errors import PrReviewError
from pr_review.report.json_report import dump
from pr_review.report.terminal import Screen, Style
from pr_review.settings import load

Check = Callable[[Patient], Iterator[Diagnosis]]

# in the order in which a run meets them
CHECKS: tuple[Check, ...] = (here.settings, here.clone, model.model, hub.github, here.runner)

_STYLES = {
    Grade.OK: (Style.GREEN,),
    Grade.WARNING: (Style.YELLOW,),
    Grade.PROBLEM: (Style.RED, Style.BOLD),
    Grade.SKIPPED: (Style.DIM,),
}
_MARGIN = 23
_NARROW = 60


def run(parsed: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Prints a line for everything looked at, as it is found; the exit code is that of the first
    problem's kind, 0 if there is none. Nothing of a repository is sent anywhere.
    """
    told, shown = [], _screen(environ)
    for line in examine(parsed, environ):
        told.append(line)
        if parsed.format == "text":
            show(f"{_shown(line, shown)}\n", environ)
    code = next((line.exit_code for line in told if line.grade is Grade.PROBLEM), 0)
    if parsed.format == "json":
        found = {"exit_code": code, "checks": [line.fields for line in told]}
        show(dump(found), environ)
    else:
        show(f"\n{_summary(told)}\n", environ)
    return code


def examine(parsed: argparse.Namespace, environ: Mapping[str, str]) -> Iterator[Diagnosis]:
    """Everything that is looked at, one thing after the other."""
    given = Given((flags.layer(parsed),))
    try:
        given = gather(parsed, environ)
        settings = given.settings()
    except PrReviewError as error:
        yield from _without_settings(Patient(parsed, environ, given, load()), error)
        return
    with trusted(settings) as bundle:
        patient = Patient(parsed, environ, given, settings, bundle)
        try:
            patient = patient if given.read_at else hub.with_file(patient)
        except PrReviewError as error:
            yield from _without_settings(patient, error)
            return
        for check in CHECKS:
            yield from check(patient)


def _without_settings(patient: Patient, error: PrReviewError) -> Iterator[Diagnosis]:
    """What can be said while they cannot be read."""
    yield problem(Topic.SETTINGS, error)
    yield from here.clone(patient)
    yield skipped(Topic.MODEL, "not looked at before the settings can be read")
    yield skipped(Topic.GITHUB, "not looked at before the settings can be read")
    yield from here.runner(patient)


def _shown(line: Diagnosis, shown: Screen) -> str:
    """Grade, topic and text in columns; below one another where the terminal is narrow."""
    texts = [visible_line(line.text)]
    if line.remedy:
        texts.append(f"→ {visible_line(line.remedy)}")
    narrow = shown.width < _NARROW
    indent = " " * (2 if narrow else _MARGIN)
    rows = [row for text in texts for row in shown.wrap(text, indent=indent)]
    grade = shown.paint(f"{line.grade.value:<9}", *_STYLES[line.grade])
    if narrow:
        return "\n".join([f"{grade}{line.topic}", *rows])
    head = f"{line.topic:<{_MARGIN - 9}}{rows[0][_MARGIN:]}"
    return "\n".join([f"{grade}{head}", *rows[1:]])


def _screen(environ: Mapping[str, str]) -> Screen:
    """Of the terminal; what a program reads is a line each."""
    shown = screen("auto", environ, sys.stdout)
    known = sys.stdout.isatty() or environ.get("COLUMNS")
    return shown if known else replace(shown, width=sys.maxsize)


def _summary(told: Sequence[Diagnosis]) -> str:
    problems = [line for line in told if line.grade is Grade.PROBLEM]
    warnings = sum(line.grade is Grade.WARNING for line in told)
    skips = sum(line.grade is Grade.SKIPPED for line in told)
    counts = f"{counted(warnings, 'warning')}, {skips} not looked at"
    if not problems:
        return f"no problem found; {counts}"
    code = problems[0].exit_code
    return f"{counted(len(problems), 'problem')}, {counts}; exit code {code} is the first one's"
