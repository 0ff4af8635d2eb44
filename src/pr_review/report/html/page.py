"""The page: one file, nothing loaded from elsewhere, and no script in it but our own."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from pr_review import __version__
from pr_review.domain.coverage import CoverageReport, Mark
from pr_review.domain.diff import Side
from pr_review.domain.ledger import (
    Coverage,
    Dependency,
    DependencyState,
    Ledger,
    Redaction,
    State,
    Tier,
)
from pr_review.domain.review import Run
from pr_review.domain.text import visible, visible_line
from pr_review.report.html.amounts import Amount, lines_of, tokens_of
from pr_review.report.html.asked import Facts, facts
from pr_review.report.html.cards import standing
from pr_review.report.html.files import CONTEXT_ONLY, UNCHANGED, FileView, file_view, tree
from pr_review.report.html.lines import LETTERS
from pr_review.report.html.lists import Lists, lists
from pr_review.report.html.notes import NONE, notes
from pr_review.report.html.places import Link, Places, address
from pr_review.report.html.prose import Span, spans
from pr_review.templates import page_part, render_page

_FOLDER = Path(__file__).parent
_HIDDEN_PATH = "[REDACTED:file-name]"
_MARKS = {
    Mark.SHOWN: "a changed line, printed",
    Mark.CONTEXT: "an unchanged line, printed",
    Mark.FOLDED: "described exactly in place of its text",
    Mark.REDACTED: "printed without the credential it holds",
    Mark.CUT: "too long, its start alone is printed",
    Mark.OMITTED: "not in the snapshot",
}
_DEPENDENCY = {
    DependencyState.SHOWN: "shown",
    DependencyState.PARTIAL: "signature and first lines shown",
    DependencyState.OMITTED: "found, left out",
    DependencyState.UNRESOLVED: "no definition found",
    DependencyState.AMBIGUOUS: "several definitions, none taken",
    DependencyState.OUTSIDE: "outside the repository, not missing",
}


@dataclass(frozen=True, slots=True)
class Total:
    """One row of the picture: a tier, or all of them."""

    name: str
    files: int
    lines: Amount
    tokens: Amount


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of a table about places."""

    what: str
    place: Link
    words: str


@dataclass(frozen=True, slots=True)
class _Told:
    """A review on the page: its verdict, how it was made, what it found."""

    verdict: tuple[Span, ...]
    url: str
    facts: Facts
    lists: Lists


def page(
    report: CoverageReport,
    *,
    title: str = "Coverage of a review",
    run: Run | None = None,
    verdict: str = "",
) -> str:
    """The report as one HTML document that ends with a line feed.

    With `run`, whose snapshot the report must be of, the review of it as well; `verdict` is the
    first line of that, in plain text.

    Equal reports and runs give equal text. It holds no surrogates, and runs no text of the change:
    everything is escaped, and its policy allows our own script and style by their hashes.
    """
    style, script = page_part(_FOLDER, "page.css"), page_part(_FOLDER, "page.js")
    text = render_page(
        _FOLDER,
        "page.html.j2",
        title=visible_line(title),
        version=__version__,
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        states=[*(state.value for state in State), CONTEXT_ONLY],
        tiers=[*(tier.label for tier in reversed(Tier)), UNCHANGED],
        marks=[(mark.value, LETTERS[mark], words) for mark, words in _MARKS.items()],
        full=Coverage.FULL,
        **_contents(report, run, verdict),
    )
    return text + "\n"


def _contents(report: CoverageReport, run: Run | None, verdict: str) -> dict[str, object]:
    """What the page tells of this very change."""
    ledger = report.snapshot.ledger
    names = _printable(ledger)
    places = Places(report.files, names)
    cards = standing(run, places) if run else ()
    noted = notes(run, cards, places) if run else {}
    files = [
        file_view(index, file, names, noted.get(index, NONE))
        for index, file in enumerate(report.files)
    ]
    return {
        "snapshot": report.snapshot,
        "review": _told(run, verdict, lists(run, cards, places)) if run else None,
        "notice": "\n\n".join(_notice(part.text) for part in report.snapshot.passes),
        "withheld": len(ledger.withheld),
        "withheld_source": sum(entry.reviewable for entry in ledger.withheld),
        "totals": _totals(ledger),
        "top": tree(files),
        "dependencies": _dependencies(ledger, files, names),
        "redactions": _redactions(ledger, files, names),
    }


def _told(run: Run, verdict: str, lists: Lists) -> _Told:
    return _Told(spans(verdict), address(run.review_url), facts(run), lists)


def _policy(style: str, script: str) -> str:
    """Forbids the page to load, send or run anything but its own style and script."""
    return (
        f"default-src 'none'; style-src '{_source(style)}'; script-src '{_source(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _source(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _notice(text: str) -> str:
    """What stands before the first fence: the notice, as the model read it."""
    return visible(text.partition("\n<<<")[0].strip("\n"))


def _printable(ledger: Ledger) -> Mapping[str, str]:
    """What is printed for paths that hold a credential."""
    hidden = {r.path: _HIDDEN_PATH for r in ledger.redactions if not r.line}
    return hidden | {e.path: e.printed for e in ledger.entries if e.printed}


def _totals(ledger: Ledger) -> list[Total]:
    entries = ledger.entries
    by_tier = [(tier.label, [e for e in entries if e.tier is tier]) for tier in reversed(Tier)]
    return [
        Total(name, len(members), lines_of(members), tokens_of(members))
        for name, members in [("all", list(entries)), *by_tier]
        if members
    ]


def _dependencies(
    ledger: Ledger, files: list[FileView], names: Mapping[str, str]
) -> list[tuple[str, list[Listed]]]:
    """The dependencies by what became of them, in the order of the states."""
    ids = {file.path: file.id for file in files}
    groups: list[tuple[str, list[Listed]]] = []
    for state in DependencyState:
        members = [d for d in ledger.dependencies if d.state is state]
        if members:
            rows = [_dependency(member, ids, names) for member in members]
            groups.append((_DEPENDENCY[state], rows))
    return groups


def _dependency(found: Dependency, ids: Mapping[str, str], names: Mapping[str, str]) -> Listed:
    path = visible_line(names.get(found.path, found.path))
    lines = f"{found.start}-{found.end}" if found.end > found.start else f"{found.start}"
    # Of those shown in part the heading tells the only reason there is.
    told = found.reason if found.state is DependencyState.OMITTED else None
    words = told.words if told else ""
    return Listed(visible_line(found.name), Link(ids.get(path, ""), f"{path}:{lines}"), words)


def _redactions(ledger: Ledger, files: list[FileView], names: Mapping[str, str]) -> list[Listed]:
    ids = {file.path: file.id for file in files}
    return [_redaction(redaction, ids, names) for redaction in ledger.redactions]


def _redaction(hidden: Redaction, ids: Mapping[str, str], names: Mapping[str, str]) -> Listed:
    path = visible_line(names.get(hidden.path, hidden.path))
    if not hidden.line:
        return Listed(hidden.rule, Link(ids.get(path, ""), path), "in the file's name")
    side = "old side" if hidden.side is Side.LEFT else "new side"
    words = f"{side}, on an added line" if hidden.added else side
    return Listed(hidden.rule, Link(ids.get(path, ""), f"{path}:{hidden.line}"), words)
