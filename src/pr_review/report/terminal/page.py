"""The whole run on a screen: findings, the account, and the verdict where the eye ends up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pr_review.domain.finding import Finding, Judged, Severity
from pr_review.domain.review import Run
from pr_review.domain.snapshot import SentFile
from pr_review.domain.text import visible, visible_line
from pr_review.domain.words import line_numbers, old_side
from pr_review.report.log import account
from pr_review.report.terminal.excerpt import excerpt, suggested
from pr_review.report.terminal.screen import Screen, Style

_COLOURS = {
    Severity.CRITICAL: (Style.BOLD, Style.MAGENTA),
    Severity.HIGH: (Style.BOLD, Style.RED),
    Severity.MEDIUM: (Style.BOLD, Style.YELLOW),
    Severity.LOW: (Style.BOLD, Style.CYAN),
}
_MOST_PLACES = 20
_FENCE = re.compile(r" *(`{3,}|~{3,})")
_POINT = re.compile(r" *[-*+] ")
_CONTEXT = "For context, of low weight or not sure:"


def page(run: Run, verdict: str, screen: Screen) -> str:
    """The run as text. `verdict` is the first line of the review, in plain text; it comes last.

    Each finding begins with a line `path:line: severity: title`, which editors can jump to.
    Whatever the repository or a model wrote, no line holds a control character but our colours.
    """
    sent = {file.path: file for file in run.snapshot.sent} if run.snapshot else {}
    lines = [*_findings(run.for_author, sent, screen)]
    if noted := run.for_reviewer:
        lines += [*screen.wrap(_CONTEXT, Style.BOLD), "", *_findings(noted, sent, screen)]
    for line in account(run):
        lines += screen.wrap(line, _weight(line), hang="  ")
    lines += ["", *screen.wrap(visible_line(verdict), Style.BOLD)]
    return "\n".join(lines) + "\n"


def _weight(line: str) -> Style:
    warns = line.startswith(("warning:", "not verified:")) or " failed: " in line
    return Style.YELLOW if warns else Style.DIM


def _findings(
    findings: Sequence[Judged], sent: Mapping[str, SentFile], screen: Screen
) -> Iterator[str]:
    for judged in findings:
        yield from _finding(judged, sent.get(judged.finding.path), screen)
        yield ""


def _finding(judged: Judged, file: SentFile | None, screen: Screen) -> Iterator[str]:
    finding = judged.finding
    yield from _head(finding, screen)
    yield from screen.wrap(_said(finding), Style.DIM, indent="  ")
    if file and (lines := excerpt(finding, file, screen)):
        yield from ["", *lines]
    if finding.body.strip():
        yield ""
        yield from _body(visible(finding.body.strip("\n")), screen)
    if file and finding.suggestion is not None:
        yield from ["", screen.paint("  Suggestion:", Style.DIM), *suggested(finding, file, screen)]
    yield from _also(judged.also, screen)
    yield from _merged(judged.merged, screen)


def _head(finding: Finding, screen: Screen) -> Iterator[str]:
    """`path:line: severity: title`, painted where it is not wrapped in the middle of a part."""
    where, label = f"{_where(finding)}:", f"{finding.severity.label}:"
    title = " ".join(visible_line(finding.title).split())
    first, *rest = screen.wrap(f"{where} {label} {title}", hang="  ")
    if first.startswith(f"{where} {label}"):
        colours = _COLOURS[finding.severity]
        tail = first.removeprefix(f"{where} {label}")
        painted = f"{screen.paint(where, Style.BOLD)} {screen.paint(label, *colours)}"
        first = painted + screen.paint(tail, Style.BOLD)
    yield first
    yield from (screen.paint(line, Style.BOLD) for line in rest)


def _body(text: str, screen: Screen) -> Iterator[str]:
    """Prose wrapped, points of a list under themselves; blocks of code as they are, cut."""
    fence = ""
    for line in text.expandtabs(4).split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif fence:
            yield "    " + screen.cut(line, 4).rstrip()
        else:
            yield from screen.wrap(line, indent="  ", hang="  " if _POINT.match(line) else "")


def _said(finding: Finding) -> str:
    parts = (visible_line(finding.category), f"confidence {finding.confidence.label}")
    return f"said by {visible_line(finding.said_by)} · {' · '.join(filter(None, parts))}"


def _also(findings: Sequence[Finding], screen: Screen) -> Iterator[str]:
    """The other places of a pattern."""
    if not findings:
        return
    yield from ["", screen.paint("  The same at:", Style.DIM)]
    for finding in findings[:_MOST_PLACES]:
        yield from screen.wrap(_where(finding), indent="    ")
    if more := findings[_MOST_PLACES:]:
        yield f"    and {len(more)} more places"


def _merged(findings: Sequence[Finding], screen: Screen) -> Iterator[str]:
    """What was taken for the same though its title differs."""
    if not findings:
        return
    yield from ["", screen.paint("  Also said, and taken for the same:", Style.DIM)]
    for finding in findings[:_MOST_PLACES]:
        said = visible_line(f"{finding.title} ({finding.said_by})")
        yield from screen.wrap(said, indent="    ")
    if more := findings[_MOST_PLACES:]:
        yield f"    and {len(more)} more"


def _where(finding: Finding) -> str:
    return f"{visible_line(finding.path)}{line_numbers(finding)}{old_side(finding)}"
