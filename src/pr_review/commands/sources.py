"""Where `snapshot` and `explain` read a change from: commits of a clone, or a patch."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from pr_review.adapters.secrets import Kingfisher
from pr_review.adapters.syntax import TreeSitter
from pr_review.change.patch_text import PatchText
from pr_review.change.ports import ChangeSource
from pr_review.commands import flags
from pr_review.commands.clone import base_of, clone, layers_at, loaded_at, since_of
from pr_review.errors import ConfigurationError, SnapshotError
from pr_review.settings import Settings, load
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Tools


@dataclass(frozen=True)
class Subject:
    """The settings that hold for a change, and how it is opened with a cap on the raw diff.

    `since` is the full id of the commit up to which the change counts as reviewed; or empty.
    """

    settings: Settings
    within: Callable[[int], AbstractContextManager[ChangeSource]]
    since: str = ""

    def opened(self) -> AbstractContextManager[ChangeSource]:
        """The change within the cap of the settings."""
        return self.within(self.settings.max_diff_bytes)

    @property
    def policy(self) -> SnapshotPolicy:
        """What the snapshot is allowed to be."""
        return replace(self.settings.snapshot_policy(), since=self.since)

    def tools(self, source: ChangeSource) -> Tools:
        """What the snapshot of an opened change is made with. Raises `SnapshotError`."""
        touched = source.touched_since(self.since) if self.since else None
        return Tools(source, TreeSitter(), Kingfisher(), touched=touched)


def subject(parsed: argparse.Namespace, environ: Mapping[str, str]) -> Subject:
    """What `--repo`, `--base`, `--head` or `--staged` or `--worktree`, and `--since` name, or
    `--patch`.

    Raises `PrReviewError`.
    """
    if parsed.patch is not None:
        return _patch(parsed)
    base = base_of(parsed, environ)
    settings = loaded_at(parsed, environ, base, layers_at(parsed, environ, base))

    def within(size: int) -> AbstractContextManager[ChangeSource]:
        capped = settings.model_copy(update={"max_diff_bytes": size})
        return clone(parsed, capped, environ, base=base)

    return Subject(settings, within, since_of(parsed, environ))


def _patch(parsed: argparse.Namespace) -> Subject:
    for flag in ("base", "head", "repo", "since", "staged", "worktree"):
        if getattr(parsed, flag):
            raise ConfigurationError(
                f"--patch and --{flag} exclude each other", remedy="give one of them"
            )
    settings = load(flags.layer(parsed)).complete(lambda _path: None)
    name = "standard input" if parsed.patch == "-" else parsed.patch
    text = _read(parsed.patch)
    return Subject(settings, lambda size: nullcontext(PatchText(text, name=name, max_bytes=size)))


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise SnapshotError(
            f"cannot read {name}: {error.strerror}",
            remedy="give --patch a file, or - for standard input",
        ) from error
