"""What the snapshot is allowed to be: the limits of design section 3."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pr_review.domain.globs import matches
from pr_review.domain.path_rule import PathRule

LONG_LINE_BYTES = 2_000
PIECE_LINES = 12
DIFF_CONTEXT = 3
THIN_CONTEXT = 1
NOTICE_SHARE = 0.1


class Screening(StrEnum):
    """What happens to a credential in a text that would be sent."""

    REDACT = "redact"
    REFUSE = "refuse"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class SnapshotPolicy:
    """Limits of one snapshot: real tokens for the whole text, bytes for one file.

    `include` and `exclude` are globs on whole paths (`*` stays within a folder, `**` does
    not); a file that is not included, or is excluded, stands in the ledger all the same.

    `since` is the full id of a commit up to which an earlier review read the change: hunks of
    source and tests that stand as they stood there are folded. Empty: everything is shown.

    `context_bytes` bounds the source beyond the diff itself. `lines_before` and `lines_after`
    are added to the diff's own three lines of context; where `dynamic` is set, context grows
    to the start of the enclosing definition if that is at most `scope_lines` above.

    In up to `passes` texts goes what source and tests do not fit into one. The budget and the caps
    of context and dependencies hold for each of them, the cap of one file for all together.

    `rules` may give files another tier than their path and text do.
    """

    token_budget: int = 100_000
    max_file_bytes: int = 65_536
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    screening: Screening = Screening.REDACT
    context_bytes: int = 262_144
    dependencies: int = 8
    lines_before: int = 3
    lines_after: int = 1
    dynamic: bool = True
    scope_lines: int = 20
    skip_suffixes: tuple[str, ...] = (".md", ".txt")
    since: str = ""
    passes: int = 1
    rules: tuple[PathRule, ...] = ()

    def excludes(self, path: str) -> bool:
        """Whether a path is not to be reviewed: not included, or excluded."""
        included = not self.include or matches(path, self.include)
        return not included or matches(path, self.exclude)
