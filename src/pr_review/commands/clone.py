"""The clone that flags name: what is compared in it, and the settings that hold there."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pr_review.adapters.git import (
    LocalSource,
    Uncommitted,
    commit_id,
    default_branch,
    local_file,
)
from pr_review.commands import flags
from pr_review.commands.wiring import passed_to_git
from pr_review.errors import ConfigurationError
from pr_review.settings import FILE, Layer, Settings, file, load

# What leads git to the user's own configuration, which says what is ignored.
_HOMES = ("HOME", "XDG_CONFIG_HOME")


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
    return "" if parsed.since is None else commit_of(parsed, environ, parsed.since)


def commit_of(parsed: argparse.Namespace, environ: Mapping[str, str], ref: str) -> str:
    """Full id of the commit that a ref names in the clone. Raises `SnapshotError`."""
    return commit_id(_folder(parsed), ref, passed=passed_to_git(environ))


def _folder(parsed: argparse.Namespace) -> Path:
    return Path(parsed.repo or ".")


def layers_at(
    parsed: argparse.Namespace, environ: Mapping[str, str], base: str
) -> tuple[Layer, Layer]:
    """The flags, and the configuration file as it stands at the base."""
    text = files_at(parsed, environ, base)(FILE)
    return flags.layer(parsed), file(text, place=f"{FILE} of {base}")


def loaded_at(
    parsed: argparse.Namespace, environ: Mapping[str, str], base: str, layers: Sequence[Layer]
) -> Settings:
    """The settings of these layers, with what they take from files at the base."""
    return load(*layers).complete(files_at(parsed, environ, base), where=f" of {base}")


def files_at(
    parsed: argparse.Namespace, environ: Mapping[str, str], commit: str
) -> Callable[[str], str | None]:
    """Reads files of the clone as they stand at a commit: their text, None if there is none."""
    return partial(local_file, _folder(parsed), commit, passed=passed_to_git(environ))
