"""The results of a run: the findings that it tells, and those of earlier reviews still open."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding, Judged, Place, Severity
from pr_review.domain.review import Run, Told
from pr_review.report.sarif.parts import Json, artifact, level, location, text

#: Of our own: by rule, path and text. Code scanning itself goes by `primaryLocationLineHash`.
FINGERPRINT = "prReviewFinding/v1"
LINE_HASH = "primaryLocationLineHash"
EARLIER = "earlier"


@dataclass(frozen=True)
class Result:
    """A result, and what its rule and its fingerprints are made of."""

    rule: str
    severity: Severity
    security: bool
    path: str
    line: int | None
    content: str
    json: Json


def results(run: Run) -> list[Result]:
    """What the review tells, and what it told before that no finding of this run is about."""
    standing = [j for j in run.judged if j.place is Place.TOLD]
    again = {_named(judged.finding) for judged in standing}
    unmet = [told for told in run.still_open if told.path and _named(told) not in again]
    texts = _texts(run)
    found = [_of_finding(judged, texts) for judged in (*run.findings, *standing)]
    return found + [_of_told(told) for told in unmet]


def _named(one: Finding | Told) -> tuple[str, Side, int | None, int | None, str]:
    """What one that was met again and what was told of it have in common."""
    return one.path, one.side, one.start, one.end, one.title


def _of_finding(judged: Judged, texts: Mapping[tuple[str, int], str]) -> Result:
    finding = judged.finding
    rule = next((s for s in finding.sources if finding.deterministic and ":" in s), "")
    rule = rule or finding.category
    json: Json = {
        "ruleId": rule,
        "level": "note" if judged.place is Place.NOTED else level(finding.severity),
        "message": {"text": text(_message(finding))},
        "locations": [location(finding)],
        "properties": {
            "severity": finding.severity.label,
            "confidence": finding.confidence.label,
            "category": finding.category,
            "sources": list(finding.sources),
            "place": judged.place.value,
        },
    }
    if others := (*judged.also, *judged.merged):
        json["relatedLocations"] = [
            {"id": number, **location(other), "message": {"text": text(other.title)}}
            for number, other in enumerate(others, start=1)
        ]
    if finding.suggestion is not None and finding.start is not None and finding.end is not None:
        json["fixes"] = [_fix(finding.path, finding.start, finding.end, finding.suggestion)]
    return Result(
        rule,
        finding.severity,
        security="security" in (*finding.sources, finding.category),
        path=finding.path,
        line=finding.start if finding.side is Side.RIGHT else None,
        content=_content(finding, texts),
        json=json,
    )


def _of_told(told: Told) -> Result:
    """What an earlier review told and this one did not meet again, as its lines were not shown."""
    title = told.title or "A finding of an earlier review is still open"
    json: Json = {
        "ruleId": EARLIER,
        "level": level(told.severity),
        "message": {"text": text("\n\n".join(filter(None, (title, told.url))))},
        "locations": [location(told)],
        "properties": {"severity": told.severity.label, "place": Place.TOLD.value},
    }
    return Result(
        EARLIER,
        told.severity,
        security=False,
        path=told.path,
        line=told.start if told.side is Side.RIGHT else None,
        content=told.fingerprint,
        json=json,
    )


def fingerprinted(told: list[Result], run: Run) -> Iterator[Result]:
    """The results with their fingerprints; equal ones are counted in their order."""
    seen: Counter[str] = Counter()
    hashes = {(path, line): found for path, line, found in run.line_hashes}
    for one in told:
        spelt = json.dumps([one.rule, one.path, one.content])
        seen[spelt] += 1
        digest = hashlib.sha256(f"{spelt}{seen[spelt]}".encode()).hexdigest()[:32]
        prints = {FINGERPRINT: digest}
        if one.line is not None and (known := hashes.get((one.path, one.line))):
            prints[LINE_HASH] = known
        yield replace(one, json={**one.json, "partialFingerprints": prints})


def _content(finding: Finding, texts: Mapping[tuple[str, int], str]) -> str:
    """What tells it from others of its rule and file, wherever its lines move: their text, or
    where nobody knows that its title."""
    numbers = range(finding.start or 0, (finding.end or -1) + 1)
    lines = [texts.get((finding.path, number)) for number in numbers]
    known = [line.strip() for line in lines if line is not None]
    if finding.side is Side.RIGHT and known:
        return "\n".join(known)
    return " ".join(finding.title.casefold().split())


def _texts(run: Run) -> dict[tuple[str, int], str]:
    """The new-side lines that a model was shown, by path and number: without credentials."""
    sent = run.snapshot.sent if run.snapshot else ()
    return {(f.path, line.new): line.text for f in sent for line in f.lines if line.new is not None}


def _message(finding: Finding) -> str:
    old = ""
    if finding.side is Side.LEFT and finding.start is not None:
        old = f"About removed lines, from line {finding.start} of the old file on."
    return "\n\n".join(filter(None, (finding.title, finding.body, old)))


def _fix(path: str, start: int, end: int, suggestion: str) -> Json:
    """Whole lines replaced; without text they go, line end and all."""
    region: Json = {"startLine": start, "endLine": end}
    if not suggestion:
        region = {"startLine": start, "startColumn": 1, "endLine": end + 1, "endColumn": 1}
    replacement = {"deletedRegion": region, "insertedContent": {"text": suggestion}}
    change = {"artifactLocation": artifact(path), "replacements": [replacement]}
    return {"description": {"text": "The change that is suggested"}, "artifactChanges": [change]}
