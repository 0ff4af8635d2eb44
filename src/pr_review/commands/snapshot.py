"""`pr-review snapshot`: exactly what a model would read, offline, without a key."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from pr_review.adapters.tokens import token_counter
from pr_review.commands import flags
from pr_review.commands.pages import snapshot_page
from pr_review.commands.parsers import QUOTE_FLAGS
from pr_review.commands.printing import write
from pr_review.commands.quoting import bounded, offer
from pr_review.commands.sources import subject
from pr_review.domain.snapshot import Snapshot
from pr_review.errors import ConfigurationError
from pr_review.report.json_report import dump
from pr_review.report.snapshot_json import snapshot_object
from pr_review.snapshot.fit import fit
from pr_review.snapshot.prepare import Prepared, prepare


def run(parsed: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Prints the snapshot of a clone's commits or of a patch, in the format asked for.

    With `--quote`, the object of the JSON format holds the quote, too; with any other format the
    quote is what is printed, and the snapshot goes to `--out` alone.
    """
    asked = subject(parsed, environ)
    if not parsed.quote:
        _no_flag_for_nothing(parsed)
    policy = bounded(asked.policy, asked.settings) if parsed.quote else asked.policy
    with asked.opened() as source:
        prepared = prepare(source.change(), policy, asked.tools(source))
        snapshot = fit(prepared, policy, token_counter())
        text = _text(prepared, snapshot, parsed.format)
    if not parsed.quote:
        write(parsed.out, text)
        return 0
    offered = offer(snapshot, asked.settings)
    if parsed.format == "json":
        write(parsed.out, dump({**snapshot_object(snapshot), **offered.fields}))
        return 0
    if parsed.out is not None:
        write(parsed.out, text)
    write(None, "".join(f"{line}\n" for line in offered.lines))
    return 0


def _no_flag_for_nothing(parsed: argparse.Namespace) -> None:
    """Raises `ConfigurationError` for a flag that would change nothing."""
    for name in QUOTE_FLAGS:
        if name in flags.layer(parsed).values:
            raise ConfigurationError(
                f"--{name} goes with --quote alone", remedy="add --quote, or leave it out"
            )


def _text(prepared: Prepared, snapshot: Snapshot, form: str) -> str:
    match form:
        case "json":
            return dump(snapshot_object(snapshot))
        case "html":
            return snapshot_page(prepared, snapshot)
        case _:
            return snapshot.text
