"""What SARIF's objects are made of: texts, places, levels."""

from __future__ import annotations

from urllib.parse import quote

from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding, Severity
from pr_review.domain.review import Told
from pr_review.domain.text import visible

Json = dict[str, object]

_LEVELS = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning"}


def text(said: str) -> str:
    """Text that makes no link of its own: SARIF would take `[a](b)` for one."""
    return visible(said).replace("](", "] (")


def level(severity: Severity) -> str:
    """The level of a result."""
    return _LEVELS.get(severity, "note")


def location(about: Finding | Told) -> Json:
    """Its lines; the file alone for lines that the head does not have."""
    place: Json = {"artifactLocation": artifact(about.path)}
    if about.start is not None and about.side is Side.RIGHT:
        place["region"] = {"startLine": about.start, "endLine": about.end or about.start}
    return {"physicalLocation": place}


def artifact(path: str) -> Json:
    """A file of the repository."""
    encoded = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    return {"uri": encoded, "uriBaseId": "%SRCROOT%"}
