"""Names that changed lines use, as the ledger may tell them: a credential may look like one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pr_review.domain.diff import Side
from pr_review.domain.ledger import Dependency, Redaction
from pr_review.snapshot.draft import Helper, Row, Sheet


@dataclass(frozen=True, slots=True)
class Names:
    """Takes names out that screening took out of the lines that use them.

    A credential without its quotes is an identifier to a grammar. `rules` are the redactions of
    new-side lines, by path and number.
    """

    sheets: Mapping[str, Sheet]
    rules: Mapping[tuple[str, int], str]

    @classmethod
    def of(cls, sheets: Mapping[str, Sheet], redactions: Iterable[Redaction]) -> Names:
        right = (hidden for hidden in redactions if hidden.side is Side.RIGHT)
        return cls(sheets, {(hidden.path, hidden.line): hidden.rule for hidden in right})

    def missing(self, names: Sequence[Dependency], *, screened: bool) -> tuple[Dependency, ...]:
        """The names without a definition; each stands at the line that uses it.

        Of a change that is `screened`, a name in a line that was not is left out: it may be a
        credential.
        """
        at = [(name, self._at(name)) for name in names]
        return tuple(self._told(name, rows) for name, rows in at if rows or not screened)

    def helpers(self, helpers: Sequence[Helper]) -> tuple[Helper, ...]:
        """The definitions, whose names stand in their own lines and in those that use them."""
        return tuple(
            replace(helper, definition=self._told(helper.definition, self._lines(helper)))
            for helper in helpers
        )

    def _at(self, name: Dependency) -> list[tuple[str, Row]]:
        sheet = self.sheets.get(name.path)
        return [(name.path, sheet.rows[i]) for i in sheet.at([name.start])] if sheet else []

    def _lines(self, helper: Helper) -> list[tuple[str, Row]]:
        users = [(path, self.sheets[path].rows[i]) for path, i in helper.users]
        return users + [(helper.sheet.path, helper.sheet.rows[i]) for i in helper.rows]

    def _told(self, found: Dependency, used: Iterable[tuple[str, Row]]) -> Dependency:
        for path, row in used:
            rule = self.rules.get((path, row.line.number))
            if rule and found.name not in row.body and found.name in row.line.text:
                return replace(found, name=f"[REDACTED:{rule}]")
        return found
