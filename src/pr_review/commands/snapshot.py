"""`pr-review snapshot`: exactly what a model would read, offline, without a key."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from pr_review.adapters.secrets import Kingfisher
from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.change.patch_text import PatchText
from pr_review.change.ports import ChangeSource
from pr_review.commands import flags
from pr_review.commands.local import clone, default_base, layers_at
from pr_review.domain.snapshot import Snapshot
from pr_review.errors import ConfigurationError, SnapshotError
from pr_review.report.snapshot_json import snapshot_object
from pr_review.settings import Settings, load
from pr_review.snapshot.fit import fit
from pr_review.snapshot.prepare import Tools, prepare


def run(parsed: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Prints the snapshot of a clone's commits or of a patch."""
    if parsed.patch is None:
        base = parsed.base or default_base(parsed, environ)
        settings = load(*layers_at(parsed, environ, base))
        with clone(parsed, settings, environ, base=base) as source:
            snapshot = _taken(source, settings)
    else:
        settings = load(flags.layer(parsed))
        snapshot = _taken(_patch(parsed, settings), settings)
    _write(parsed, snapshot)
    return 0


def _taken(source: ChangeSource, settings: Settings) -> Snapshot:
    policy = settings.snapshot_policy()
    prepared = prepare(source.change(), policy, Tools(source, TreeSitter(), Kingfisher()))
    return fit(prepared, policy, token_counter())


def _patch(parsed: argparse.Namespace, settings: Settings) -> PatchText:
    for flag in ("base", "head", "repo"):
        if getattr(parsed, flag) is not None:
            raise ConfigurationError(
                f"--patch and --{flag} exclude each other", remedy="give one of them"
            )
    name = "standard input" if parsed.patch == "-" else parsed.patch
    return PatchText(_read(parsed.patch), name=name, max_bytes=settings.max_diff_bytes)


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


def _write(parsed: argparse.Namespace, snapshot: Snapshot) -> None:
    if parsed.format == "json":
        text = json.dumps(snapshot_object(snapshot), indent=1) + "\n"
    else:
        text = snapshot.text
    if parsed.out is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    try:
        Path(parsed.out).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ConfigurationError(f"cannot write {parsed.out}: {error.strerror}") from error
