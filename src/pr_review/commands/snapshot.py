"""`pr-review snapshot`: exactly what a model would read, offline, without a key."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from pr_review.adapters.tokens import token_counter
from pr_review.change.ports import ChangeSource
from pr_review.commands.sources import Given, given
from pr_review.domain.diff import Change
from pr_review.errors import ConfigurationError
from pr_review.report.html import page
from pr_review.report.snapshot_json import snapshot_object
from pr_review.snapshot.fit import fit
from pr_review.snapshot.prepare import prepare
from pr_review.snapshot.view import coverage_report


def run(parsed: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Prints the snapshot of a clone's commits or of a patch, in the format asked for."""
    asked = given(parsed, environ)
    with asked.opened() as source:
        text = _text(source, asked, parsed.format)
    _write(parsed, text)
    return 0


def _text(source: ChangeSource, asked: Given, form: str) -> str:
    prepared = prepare(source.change(), asked.policy, asked.tools(source))
    snapshot = fit(prepared, asked.policy, token_counter())
    match form:
        case "json":
            return json.dumps(snapshot_object(snapshot), indent=1) + "\n"
        case "html":
            title = f"Snapshot of {_named(prepared.change)}"
            return page(coverage_report(prepared, snapshot), title=title)
        case _:
            return snapshot.text


def _named(change: Change) -> str:
    return f"{change.merge_base[:12]} to {change.head[:12]}" if change.head else "a patch"


def _write(parsed: argparse.Namespace, text: str) -> None:
    if parsed.out is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    try:
        Path(parsed.out).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ConfigurationError(f"cannot write {parsed.out}: {error.strerror}") from error
