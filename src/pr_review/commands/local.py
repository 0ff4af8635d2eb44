"""`pr-review local`: reviews what a clone holds and prints the review; GitHub is not asked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace

from pr_review.adapters.git import LocalSource, Uncommitted
from pr_review.adapters.llm.providers import credential_variables
from pr_review.commands.clone import base_of, clone, layers_at, loaded_at, uncommitted_of
from pr_review.commands.outcome import as_told, ended
from pr_review.commands.pages import review_page
from pr_review.commands.printing import is_live, output, screen, show
from pr_review.commands.progress import Waiting
from pr_review.commands.wiring import child_model, doors, missing_model, plan
from pr_review.domain.pull_request import Brief
from pr_review.domain.review import Run
from pr_review.domain.words import counted
from pr_review.pipeline import review
from pr_review.report import json_report, sarif
from pr_review.report.line_hash import line_hashes
from pr_review.report.terminal import Screen, page
from pr_review.review.body import summary_body
from pr_review.review.neutral import plain
from pr_review.review.verdict import verdict
from pr_review.settings import NO_MODEL, Layer, Settings

_WORDS = {Uncommitted.STAGED: "staged", Uncommitted.WORKTREE: "not committed"}
_ELSE = {
    None: "to review what is not committed, give --staged or --worktree",
    Uncommitted.STAGED: "nothing is staged: git add what is to be reviewed, or give --worktree",
    Uncommitted.WORKTREE: "everything is committed: give --base without --worktree for the branch",
}
_CHOICES = (
    "--model anthropic/claude-sonnet-4-5, with its key in ANTHROPIC_API_KEY",
    "--model ollama/NAME, a model of this machine, without a key",
    "--model openai/NAME --api-base URL, any server that speaks OpenAI's protocol",
    "--model none, the checks alone, without these lines",
)


def run(parsed: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Prints what the checks, and the agents if there is a model, say of the change.

    Standard output, or the file of `--out`, holds the review alone, in the format asked for.
    """
    shown = screen(parsed.color, environ, sys.stdout)
    aside = screen("never" if parsed.color == "never" else "auto", environ, sys.stderr)
    with (
        output(parsed.out) as put,
        Waiting(sys.stderr, aside, live=is_live(environ, sys.stderr)) as waiting,
    ):
        base = base_of(parsed, environ)
        settings = _settings(parsed, environ, base, waiting)
        outcome = _reviewed(parsed, environ, base, settings, waiting)
        waiting.end()
        told = as_told(outcome)
        text = _text(told, parsed.format, shown)
        if parsed.format == "text" and parsed.out is None:
            show(text, environ)  # a terminal may not know every character
        else:
            put(text)
        if parsed.out is not None:
            waiting.say(f"written to {parsed.out}: {plain(verdict(told))}")
    return ended(outcome, settings.gates())


def _text(run: Run, form: str, shown: Screen) -> str:
    match form:
        case "json":
            return json_report.dump(json_report.report_object(run))
        case "sarif":
            return json_report.dump(sarif.sarif_object(run))
        case "html":
            return review_page(run)
        case "markdown":
            return summary_body(run) + "\n"
        case _:
            return page(run, plain(verdict(run)), shown)


def _reviewed(
    parsed: argparse.Namespace, environ: Mapping[str, str], base: str, settings: Settings,
    waiting: Waiting,
) -> Run:  # fmt: skip
    with (
        clone(parsed, settings, environ, base=base) as source,
        child_model(settings, environ) or nullcontext() as model,
    ):
        for line in _told(parsed, source):
            waiting.say(line)
        opened = doors(
            source, model, settings, waiting.say, tree=lambda: source.tree, workspace=source.top
        )
        opened = replace(opened, watch=waiting.watch)
        planned = replace(plan(settings), line_by_line=parsed.format == "html")
        outcome = review(Brief(commit_messages=source.messages()), planned, opened)
        if parsed.format == "sarif":
            found = (judged.finding for judged in outcome.judged)
            outcome = replace(outcome, line_hashes=line_hashes(found, source.tree.read))
    left_out = tuple(f"{path} is a repository of its own and not read" for path in source.left_out)
    return replace(outcome, warnings=(*outcome.warnings, *left_out))


def _told(parsed: argparse.Namespace, source: LocalSource) -> Iterator[str]:
    """What is reviewed; where that is nothing, what else there may be."""
    count = len(source.change().files)
    files = counted(count, "changed file")
    what = uncommitted_of(parsed)
    of = f"{_WORDS[what]}, " if what else ""
    yield f"{files}: {of}compared with {source.merge_base[:12]}"
    if not count:
        yield _ELSE[what]


def _settings(
    parsed: argparse.Namespace, environ: Mapping[str, str], base: str, waiting: Waiting
) -> Settings:
    """Flags over the file at the base; without a usable model, the checks alone, and a word."""
    layers = layers_at(parsed, environ, base)
    settings = loaded_at(parsed, environ, base, layers)
    problem = missing_model(settings, environ)
    if problem is None:
        return settings
    waiting.say(f"no model is asked: {problem.message}; the checks run alone. To ask one:")
    variables = credential_variables(settings.model) if settings.model else ()
    choices = [f"{', '.join(variables)} in the environment, for this one"] if variables else []
    for choice in (*choices, *_CHOICES):
        waiting.say(f"  {choice}")
    without = Layer("flag --", {"model": NO_MODEL})
    return loaded_at(parsed, environ, base, [without, *layers])
