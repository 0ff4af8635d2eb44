"""The snapshot as the JSON object that `snapshot --format json` prints."""

from __future__ import annotations

from pr_review.domain.ledger import Dependency, Entry, Redaction
from pr_review.domain.snapshot import Snapshot


def snapshot_object(snapshot: Snapshot) -> dict[str, object]:
    """Text, digest and the whole ledger: one entry for every changed file.

    From `files` alone anyone can check that every changed line was shown, folded or omitted.
    `redactions` and `dependencies` also name files that the change does not touch. `unlisted`
    counts changed files that the source could not name. Where there are several passes, `parts`
    holds the text and the tokens of each, `max_passes` how many were allowed, and every file the
    numbers of those it was read in.
    """
    ledger = snapshot.ledger
    return {
        "text": snapshot.text,
        "digest": snapshot.digest,
        "reproducible": snapshot.reproducible,
        "source": snapshot.source.value,
        "since": snapshot.since,
        "tokens": snapshot.tokens,
        "counter": snapshot.counter,
        "budget": snapshot.budget,
        "coverage": ledger.coverage.value,
        "coverage_source": ledger.coverage_source.value,
        "passes": len(snapshot.passes),
        "stages": [{"name": s.name, "changed": s.changed} for s in snapshot.stages],
        "redactions": [_redaction(redaction) for redaction in ledger.redactions],
        "dependencies": [_dependency(found) for found in ledger.dependencies],
        "unlisted": ledger.unlisted,
        "files": [_file(entry, several=bool(snapshot.parts)) for entry in ledger.entries],
        **_parts(snapshot),
    }


def _parts(snapshot: Snapshot) -> dict[str, object]:
    parts = [{"text": part.text, "tokens": part.tokens} for part in snapshot.parts]
    return {"max_passes": snapshot.max_passes, "parts": parts} if parts else {}


def _redaction(redaction: Redaction) -> dict[str, object]:
    return {
        "path": redaction.path,
        "line": redaction.line,
        "side": redaction.side.value,
        "rule": redaction.rule,
    }


def _dependency(found: Dependency) -> dict[str, object]:
    return {
        "name": found.name,
        "path": found.path,
        "start": found.start,
        "end": found.end,
        "state": found.state.value,
        "reason": None if found.reason is None else found.reason.value,
    }


def _file(entry: Entry, *, several: bool) -> dict[str, object]:
    return {
        "path": entry.path,
        "old_path": entry.old_path,
        "status": entry.status.value,
        "binary": entry.binary,
        "submodule": entry.submodule,
        "tier": entry.tier.label,
        "state": entry.state.value,
        "reason": None if entry.reason is None else entry.reason.value,
        "tokens": entry.tokens,
        "additions": entry.additions,
        "deletions": entry.deletions,
        "added_lines": list(entry.added_lines),
        "removed_lines": list(entry.removed_lines),
        "shown_added_lines": list(entry.shown_added),
        "shown_removed_lines": list(entry.shown_removed),
        "folded_added_lines": list(entry.folded_added),
        "folded_removed_lines": list(entry.folded_removed),
        "context_lines": list(entry.context),
        "structure": entry.structure,
        **({"passes": list(entry.passes)} if several else {}),
    }
