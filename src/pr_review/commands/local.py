"""`pr-review local`: reviews local commits and prints the review; GitHub is not asked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from pr_review.adapters.git import LocalSource, commit_id, default_branch, local_file
from pr_review.commands import flags
from pr_review.commands.outcome import ended
from pr_review.commands.wiring import (
    child_model,
    doors,
    missing_model,
    passed_to_git,
    plan,
)
from pr_review.domain.pull_request import Brief
from pr_review.domain.text import visible
from pr_review.errors import ConfigurationError
from pr_review.pipeline import review
from pr_review.report.log import lines
from pr_review.settings import FILE, NO_MODEL, Layer, Settings, file, load


def run(parsed: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Prints what the checks, and the agents if there is a model, say of the change."""
    base = parsed.base or default_base(parsed, environ)
    settings = _settings(parsed, environ, base)
    with (
        clone(parsed, settings, environ, base=base) as source,
        child_model(settings, environ) or nullcontext() as model,
    ):
        opened = doors(
            source, model, settings, _progress, tree=lambda: source.tree, workspace=source.top
        )
        outcome = review(Brief(commit_messages=source.messages()), plan(settings), opened)
    for line in lines(outcome):
        sys.stdout.write(line + "\n")
    for judged in outcome.findings:
        sys.stdout.write(f"\n{visible(judged.finding.title)}\n{visible(judged.finding.body)}\n")
    return ended(outcome, settings.gates())


def clone(
    parsed: argparse.Namespace, settings: Settings, environ: Mapping[str, str], *, base: str
) -> LocalSource:
    """The clone that `--repo`, `--base` and `--head` name."""
    return LocalSource(
        _folder(parsed),
        base=base,
        head=parsed.head or "HEAD",
        max_bytes=settings.max_diff_bytes,
        passed=passed_to_git(environ),
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


def _settings(parsed: argparse.Namespace, environ: Mapping[str, str], base: str) -> Settings:
    """Flags over the file at the base; without a usable model, the checks alone, and a word."""
    layers = layers_at(parsed, environ, base)
    settings = loaded_at(parsed, environ, base, layers)
    problem = missing_model(settings, environ)
    if problem is None:
        return settings
    _progress(f"no model is asked: {problem}; the checks run alone")
    without = Layer("flag --", {"model": NO_MODEL})
    return loaded_at(parsed, environ, base, [without, *layers])


def _progress(line: str) -> None:
    """What happens, apart from the review itself."""
    sys.stderr.write(visible(line) + "\n")
