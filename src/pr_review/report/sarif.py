"""A run as SARIF 2.1.0: its findings as results, what was not seen as notifications.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html; what code scanning reads of it:
https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

from pr_review import __version__
from pr_review.domain.diff import Side
from pr_review.domain.finding import Confidence, Finding, Judged, Place, Severity
from pr_review.domain.ledger import Entry
from pr_review.domain.review import Run, RunStatus, Told
from pr_review.domain.text import visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
#: Names the analysis among others of a commit; a slash at its end, as there is no id of a run.
AUTOMATION = "pr-review/"
#: Of our own: by rule, path and text. Code scanning itself goes by `primaryLocationLineHash`.
FINGERPRINT = "prReviewFinding/v1"
LINE_HASH = "primaryLocationLineHash"
_EARLIER = "earlier"
_MOST_OMISSIONS = 200
_LEVELS = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning"}
_SCORES = {Severity.CRITICAL: "9.5", Severity.HIGH: "8.0", Severity.MEDIUM: "5.5"}
_LOWEST = "2.0"
_NOTICES = {
    "not-shown": "Changed lines that no model was shown, with the reason.",
    "not-asked": "No model was asked: the checks and other tools speak alone.",
    "agent-failed": "An agent gave no answer, or not all of it.",
    "warning": "Something that a reader of the results should know.",
    "not-verified": "Findings stand as agents told them: the pass that would refute some failed.",
    "left-out": "Findings that are no results; the JSON report has them.",
}

Json = dict[str, object]


def tells_all(run: Run) -> bool:
    """Whether the findings of a run may stand for what is known of the head: of one that was
    skipped, refused or failed, an empty list would read as clean."""
    return run.status in (RunStatus.REVIEWED, RunStatus.NOT_REVIEWED)


def sarif_object(run: Run) -> Json:
    """The run as one SARIF log with one run.

    Results are the findings that the review tells, those of earlier reviews that are still open,
    and no others; what was left out stands in the JSON report. A finding about removed lines
    stands at its file: the head has no such lines.
    """
    told = _results(run)
    rules = _rules(told)
    index = {str(rule["id"]): number for number, rule in enumerate(rules)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(rules)},
                "automationDetails": {"id": AUTOMATION},
                **_provenance(run),
                "invocations": [
                    {
                        "executionSuccessful": tells_all(run) and not run.agents_failed,
                        "toolExecutionNotifications": list(_notifications(run)),
                    }
                ],
                "results": [
                    {**one.json, "ruleIndex": index[one.rule]} for one in _fingerprinted(told, run)
                ],
                "properties": _properties(run),
            }
        ],
    }


@dataclass(frozen=True)
class _Result:
    """A result, and what its rule and its fingerprints are made of."""

    rule: str
    severity: Severity
    security: bool
    path: str
    line: int | None
    content: str
    json: Json


def _results(run: Run) -> list[_Result]:
    standing = [j for j in run.judged if j.place is Place.TOLD]
    again = {(f.path, f.side, f.start, f.end) for f in (j.finding for j in standing)}
    unmet = [t for t in run.still_open if (t.path, t.side, t.start, t.end) not in again and t.path]
    texts = _texts(run)
    found = [_of_finding(judged, texts) for judged in (*run.findings, *standing)]
    return found + [_of_told(told) for told in unmet]


def _of_finding(judged: Judged, texts: Mapping[tuple[str, int], str]) -> _Result:
    finding = judged.finding
    rule = next((s for s in finding.sources if finding.deterministic and ":" in s), "")
    rule = rule or finding.category
    json: Json = {
        "ruleId": rule,
        "level": "note" if judged.place is Place.NOTED else _level(finding.severity),
        "message": {"text": _text(_message(finding))},
        "locations": [_location(finding)],
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
            {"id": number, **_location(other), "message": {"text": _text(other.title)}}
            for number, other in enumerate(others, start=1)
        ]
    if finding.suggestion is not None and finding.start is not None and finding.end is not None:
        json["fixes"] = [_fix(finding.path, finding.start, finding.end, finding.suggestion)]
    numbers = range(finding.start or 0, (finding.end or -1) + 1)
    lines = [texts.get((finding.path, number)) for number in numbers]
    known = [line.strip() for line in lines if line is not None]
    on_lines = finding.side is Side.RIGHT and known
    return _Result(
        rule, finding.severity, "security" in (*finding.sources, finding.category), finding.path,
        finding.start if finding.side is Side.RIGHT else None,
        "\n".join(known) if on_lines else " ".join(finding.title.casefold().split()), json,
    )  # fmt: skip


def _of_told(told: Told) -> _Result:
    """What an earlier review told and this one did not meet again, as its lines were not shown."""
    title = told.title or "A finding of an earlier review is still open"
    place = Finding(
        told.path,
        told.start,
        told.end,
        told.side,
        told.severity,
        Confidence.HIGH,
        _EARLIER,
        title,
        "",
    )
    json: Json = {
        "ruleId": _EARLIER,
        "level": _level(told.severity),
        "message": {"text": _text("\n\n".join(filter(None, (title, told.url))))},
        "locations": [_location(place)],
        "properties": {"severity": told.severity.label, "place": Place.TOLD.value},
    }
    line = told.start if told.side is Side.RIGHT else None
    return _Result(
        _EARLIER, told.severity, security=False, path=told.path, line=line,
        content=told.fingerprint, json=json,
    )  # fmt: skip


def _fingerprinted(told: list[_Result], run: Run) -> Iterator[_Result]:
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


def _texts(run: Run) -> dict[tuple[str, int], str]:
    """The new-side lines that a model was shown, by path and number: without credentials."""
    sent = run.snapshot.sent if run.snapshot else ()
    return {(f.path, line.new): line.text for f in sent for line in f.lines if line.new is not None}


def _message(finding: Finding) -> str:
    old = ""
    if finding.side is Side.LEFT and finding.start is not None:
        old = f"About removed lines, from line {finding.start} of the old file on."
    return "\n\n".join(filter(None, (finding.title, finding.body, old)))


def _text(said: str) -> str:
    """Text that makes no link of its own: SARIF would take `[a](b)` for one."""
    return visible(said).replace("](", "] (")


def _level(severity: Severity) -> str:
    return _LEVELS.get(severity, "note")


def _location(finding: Finding) -> Json:
    place: Json = {"artifactLocation": _artifact(finding.path)}
    if finding.start is not None and finding.side is Side.RIGHT:
        place["region"] = {"startLine": finding.start, "endLine": finding.end or finding.start}
    return {"physicalLocation": place}


def _artifact(path: str) -> Json:
    encoded = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    return {"uri": encoded, "uriBaseId": "%SRCROOT%"}


def _fix(path: str, start: int, end: int, suggestion: str) -> Json:
    """Whole lines replaced; without text they go, line end and all."""
    region: Json = {"startLine": start, "endLine": end}
    if not suggestion:
        region = {"startLine": start, "startColumn": 1, "endLine": end + 1, "endColumn": 1}
    replacement = {"deletedRegion": region, "insertedContent": {"text": suggestion}}
    change = {"artifactLocation": _artifact(path), "replacements": [replacement]}
    return {"description": {"text": "The change that is suggested"}, "artifactChanges": [change]}


def _driver(rules: list[Json]) -> Json:
    notices = [{"id": name, "shortDescription": {"text": said}} for name, said in _NOTICES.items()]
    return {
        "name": "pr-review",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": rules,
        "notifications": notices,
    }


def _rules(told: list[_Result]) -> list[Json]:
    """A rule for every kind of result, by name; what is about security gets the score of the
    worst of its kind, by which code scanning ranks."""
    rules: list[Json] = []
    for name in sorted({one.rule for one in told}):
        own = [one for one in told if one.rule == name]
        worst = max(one.severity for one in own)
        security = any(one.security for one in own)
        words = _described(name)
        properties: Json = {"tags": ["security"] if security else ["pr-review"]}
        if security:
            properties["security-severity"] = _SCORES.get(worst, _LOWEST)
        rules.append(
            {
                "id": name,
                "shortDescription": {"text": words},
                "fullDescription": {"text": words},
                "help": {"text": f"{words}. The result says what it is about and what to do."},
                "defaultConfiguration": {"level": _level(worst)},
                "properties": properties,
            }
        )
    return rules


def _described(rule: str) -> str:
    source, colon, name = rule.partition(":")
    if rule == _EARLIER:
        return "Told by an earlier review and still open"
    if not colon:
        return f"Findings of the agents: {rule.replace('-', ' ')}"
    return f"Check of pr-review: {name}" if source == "check" else f"Result of {source}: {name}"


def _notifications(run: Run) -> Iterator[Json]:
    """Why the results may not be all there is to say, one by one."""
    if run.reason:
        yield _notice("warning", run.reason)
    if not run.model:
        yield _notice("not-asked", _NOTICES["not-asked"], level="note")
    for agent in run.agents_failed:
        yield _notice("agent-failed", f"agent {agent.name} failed: {agent.failure}", level="error")
    for agent in run.agents:
        if agent.cut_short:
            yield _notice("agent-failed", f"agent {agent.name}: its answer was cut short")
    yield from (_notice("warning", text) for text in run.warnings)
    yield from _unsaid(run)
    if run.snapshot is None:
        return
    ledger = run.snapshot.ledger
    if ledger.unlisted:
        yield _notice("not-shown", ledger.unlisted_words)
    withheld = ledger.withheld_by_tier
    yield from (_omission(entry) for entry in withheld[:_MOST_OMISSIONS])
    if more := withheld[_MOST_OMISSIONS:]:
        lines = sum(entry.omitted for entry in more)
        yield _notice("not-shown", f"{len(more):,} more files, {lines:,} changed lines")


def _unsaid(run: Run) -> Iterator[Json]:
    """What somebody said and no result tells, but for what says the same as another."""
    if run.verifier and run.verifier.failure:
        yield _notice("not-verified", f"findings were not verified: {run.verifier.failure}")
    counts = Counter(judged.place.quiet for judged in run.judged if judged.place.quiet)
    if unread := sum(agent.dropped for agent in run.agents):
        counts["could not be read"] = unread
    for why, count in sorted(counts.items()):
        yield _notice("left-out", f"findings left out: {count:,} {why}", level="note")


def _omission(entry: Entry) -> Json:
    return {
        **_notice("not-shown", f"not shown: {entry.omission}"),
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(entry.path)}}],
    }


def _notice(name: str, said: str, *, level: str = "warning") -> Json:
    index = list(_NOTICES).index(name)
    descriptor = {"id": name, "index": index}
    return {"level": level, "message": {"text": _text(said)}, "descriptor": descriptor}


def _provenance(run: Run) -> Json:
    """Which commit of which repository was read; left out where there is no address."""
    if not run.web_url or run.change is None or not run.change.head:
        return {}
    known = {"repositoryUri": run.web_url, "revisionId": run.change.head}
    return {"versionControlProvenance": [known]}


def _properties(run: Run) -> Json:
    return {
        "status": run.status.value,
        "coverage": run.coverage and run.coverage.value,
        "coverageSource": run.coverage_source and run.coverage_source.value,
        "digest": run.snapshot.digest if run.snapshot else "",
        "head": run.change.head if run.change else "",
    }
