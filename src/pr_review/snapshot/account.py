"""The account of what was chosen of a change: one entry for every changed file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pr_review.domain.diff import Line, Side
from pr_review.domain.ledger import Entry, Ledger, Reason, Redaction
from pr_review.domain.snapshot import estimate_tokens
from pr_review.snapshot.draft import Draft
from pr_review.snapshot.prepare import Prepared
from pr_review.snapshot.truncate import Choice, Rows


class Accounts:
    """Draws up the ledger of one change for what was chosen of it."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._beyond = _beyond(prepared)

    def ledger(
        self,
        choice: Choice,
        tokens: Mapping[str, int],
        *,
        elsewhere: Collection[str] = (),
        passes: Mapping[str, tuple[int, ...]] | None = None,
    ) -> Ledger:
        """The ledger of a choice. `tokens` holds what the files take in the text, by path.

        Of one pass of several `elsewhere` names the files that others hold; of all of them
        together `passes` tells in which each file was read.
        """
        return Ledger(
            tuple(
                _entry(
                    draft, choice, tokens.get(draft.path, 0),
                    elsewhere=draft.path in elsewhere, passes=(passes or {}).get(draft.path, ()),
                )
                for draft in self._prepared.drafts
            ),
            self._redactions(choice),
            (*choice.dependencies, *self._prepared.missing),
            self._prepared.change.unlisted,
        )  # fmt: skip

    def _redactions(self, choice: Choice) -> tuple[Redaction, ...]:
        """Those of the change itself, and of the other lines that are shown."""
        paths = {hidden.path for hidden in self._beyond}
        shown = {
            (sheet.path, sheet.rows[i].line.new)
            for sheet in (*self._prepared.drafts, *self._prepared.sheets)
            if sheet.path in paths
            for i in choice.kept.get(sheet.path, ())
        }
        return tuple(
            hidden
            for hidden in self._prepared.redactions
            if hidden not in self._beyond or (hidden.path, hidden.line) in shown
        )


def _entry(
    draft: Draft, choice: Choice, tokens: int, *, elsewhere: bool, passes: tuple[int, ...]
) -> Entry:
    """What became of a file."""
    file = draft.file
    kept = choice.kept.get(draft.path)
    lines = [draft.rows[i].line for i in sorted(kept or ()) if not draft.rows[i].cut]
    shown = [line for line in lines if line.changed]
    folded = list(_folded(draft, kept))
    reason = _reason(draft, kept, len(shown), len(folded), capped=draft.path in choice.capped)
    if elsewhere and reason in (Reason.BUDGET, Reason.FILE_CAP):
        reason = Reason.ELSEWHERE
    return Entry(
        file.path,
        file.old_path,
        file.status,
        draft.kind.tier,
        file.additions,
        file.deletions,
        binary=file.binary,
        submodule=file.submodule,
        added_lines=file.added_lines,
        removed_lines=file.removed_lines,
        shown_added=_numbers(shown, added=True),
        shown_removed=_numbers(shown, added=False),
        folded_added=_numbers(folded, added=True),
        folded_removed=_numbers(folded, added=False),
        described=kept is not None,
        reason=reason,
        tokens=tokens,
        full_tokens=max(tokens, _whole(draft)),
        says=draft.says,
        marker=draft.kind.marker,
        printed=draft.printed,
        context=tuple(line.number for line in lines if not line.changed),
        structure=draft.structure,
        since=draft.since if folded else "",
        passes=passes,
    )


def _beyond(prepared: Prepared) -> frozenset[Redaction]:
    """Redactions of lines beyond the diff, most of which are not sent."""
    paths = {hidden.path for hidden in prepared.redactions}
    own = {
        (draft.path, line.number)
        for draft in prepared.drafts
        if draft.path in paths
        for line in draft.file.lines
        if line.new is not None
    }
    right = (h for h in prepared.redactions if h.line and h.side is Side.RIGHT)
    return frozenset(hidden for hidden in right if (hidden.path, hidden.line) not in own)


def _folded(draft: Draft, kept: Rows | None) -> Iterator[Line]:
    """The changed lines that the text describes in place of printing them."""
    if kept is None:
        return
    if draft.says:
        yield from (line for line in draft.file.lines if line.changed)
    yield from (row.line for row in draft.folded_rows(kept))


def _reason(
    draft: Draft, kept: Rows | None, shown: int, folded: int, *, capped: bool
) -> Reason | None:
    """Why a file is not shown in full; None if it is."""
    left = draft.file.additions + draft.file.deletions - shown - folded
    if draft.barred:
        return draft.barred
    if kept is not None and draft.says:
        return draft.fold
    if kept is not None and not left:
        return Reason.REVIEWED if folded else None
    cut = sum(draft.rows[i].cut and draft.rows[i].line.changed for i in kept or ())
    if kept is not None and cut == left:
        return Reason.LONG_LINE
    return Reason.FILE_CAP if capped else Reason.BUDGET


def _whole(draft: Draft) -> int:
    """Estimated tokens of a file shown whole."""
    if draft.rows:
        return estimate_tokens("x" * draft.full_size)
    return sum(estimate_tokens(f"{line.number} +{line.text}\n") for line in draft.file.lines)


def _numbers(lines: Sequence[Line], *, added: bool) -> tuple[int, ...]:
    return tuple(line.number for line in lines if line.changed and line.added is added)
