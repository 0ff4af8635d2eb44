"""`pr-review local`: reviews what a clone holds and prints the review; GitHub is not asked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from pr_review.adapters.git import (
    LocalSource,
    Uncommitted,
    commit_id,
    default_branch,
    local_file,
)
from pr_review.adapters.llm.providers import credential_variables
from pr_review.commands import flags
from pr_review.commands.outcome import as_told, ended
from pr_review.commands.printing import is_live, logged, output, screen
from pr_review.commands.progress import Waiting
from pr_review.commands.reviewed import review_page
from pr_review.commands.wiring import (
    child_model,
    doors,
    missing_model,
    passed_to_git,
    plan,
)
from pr_review.domain.pull_request import Brief
from pr_review.domain.review import Run
from pr_review.domain.words import counted
from pr_review.errors import ConfigurationError
from pr_review.pipeline import review
from pr_review.report import json_report, sarif
from pr_review.report.line_hash import line_hashes
from pr_review.report.terminal import Screen, page
from pr_review.review.body import summary_body
from pr_review.review.neutral import plain
from pr_review.review.verdict import verdict
from pr_review.settings import FILE, NO_MODEL, Layer, Settings, file, load

# What leads git to the user's own configuration, which says what is ignored.
_HOMES = ("HOME", "XDG_CONFIG_HOME")
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
        settings = _settings(parsed, environ, waiting)
        outcome = _reviewed(parsed, environ, settings, waiting)
        waiting.end()
        told = as_told(outcome)
        text = _text(told, parsed.format, shown)
        if parsed.format == "text" and parsed.out is None:
            sys.stdout.write(logged(text, environ))  # a terminal may not know every character
            sys.stdout.flush()
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
    parsed: argparse.Namespace, environ: Mapping[str, str], settings: Settings, waiting: Waiting
) -> Run:
    with (
        clone(parsed, settings, environ, base=base_of(parsed, environ)) as source,
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


def base_of(parsed: argparse.Namespace, environ: Mapping[str, str]) -> str:
    """What the change is compared with: `--base`; else the last commit for what is on top of it,
    and the default branch of the clone's origin for a branch. Raises `ConfigurationError`."""
    if parsed.base is not None:
        return str(parsed.base)
    return "HEAD" if uncommitted_of(parsed) else default_base(parsed, environ)


def uncommitted_of(parsed: argparse.Namespace) -> Uncommitted | None:
    """What `--staged` or `--worktree` names. Raises `ConfigurationError` beside `--head`."""
    asked = [what for what in Uncommitted if getattr(parsed, what.value)]
    if not asked:
        return None
    if parsed.head is not None or len(asked) > 1:
        other = "--head" if parsed.head is not None else f"--{asked[1]}"
        raise ConfigurationError(
            f"--{asked[0]} and {other} exclude each other", remedy="give one of them"
        )
    return asked[0]


def clone(
    parsed: argparse.Namespace, settings: Settings, environ: Mapping[str, str], *, base: str
) -> LocalSource:
    """The clone that `--repo`, `--base` and `--head` name, or what is not committed in it."""
    names = _HOMES if parsed.repo else (*_HOMES, "GIT_INDEX_FILE")
    return LocalSource(
        _folder(parsed),
        base=base,
        head=parsed.head or "HEAD",
        max_bytes=settings.max_diff_bytes,
        passed=passed_to_git(environ),
        uncommitted=uncommitted_of(parsed),
        user={name: environ[name] for name in names if environ.get(name)},
    )


def default_base(parsed: argparse.Namespace, environ: Mapping[str, str]) -> str:
    """The default branch of the clone's origin. Raises `ConfigurationError` if unknown."""
    found = default_branch(_folder(parsed), passed=passed_to_git(environ))
    if not found:
        raise ConfigurationError(
            f"origin's default branch is not known in {_folder(parsed)}", remedy="give --base"
        )
    return found


def since_of(parsed: argparse.Namespace, environ: Mapping[str, str]) -> str:
    """Full id of the commit that `--since` names; empty without it. Raises `SnapshotError`."""
    if parsed.since is None:
        return ""
    return commit_id(_folder(parsed), parsed.since, passed=passed_to_git(environ))


def _folder(parsed: argparse.Namespace) -> Path:
    return Path(parsed.repo or ".")


def layers_at(
    parsed: argparse.Namespace, environ: Mapping[str, str], base: str
) -> tuple[Layer, Layer]:
    """The flags, and the configuration file as it stands at the base."""
    text = local_file(_folder(parsed), base, FILE, passed=passed_to_git(environ))
    return flags.layer(parsed), file(text, place=f"{FILE} of {base}")


def loaded_at(
    parsed: argparse.Namespace, environ: Mapping[str, str], base: str, layers: Sequence[Layer]
) -> Settings:
    """The settings of these layers, with what they take from files at the base."""

    def read(path: str) -> str | None:
        return local_file(_folder(parsed), base, path, passed=passed_to_git(environ))

    return load(*layers).complete(read, where=f" of {base}")


def _settings(parsed: argparse.Namespace, environ: Mapping[str, str], waiting: Waiting) -> Settings:
    """Flags over the file at the base; without a usable model, the checks alone, and a word."""
    base = base_of(parsed, environ)
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
