"""The JSON report: all that a run knows, for machines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from importlib import resources

from pr_review import __version__
from pr_review.domain.diff import Change
from pr_review.domain.finding import AgentOutcome, Finding, Judged, Voice
from pr_review.domain.pull_request import PullRequest
from pr_review.domain.quote import Quote
from pr_review.domain.review import Run, Told
from pr_review.report.snapshot_json import snapshot_object

#: Raised whenever a key goes away or changes its meaning.
FORMAT = 1


def report_object(run: Run) -> dict[str, object]:
    """The report of a run, as `report.schema.json` describes it. It holds no secret."""
    return {
        "format": FORMAT,
        "version": __version__,
        "status": run.status.value,
        "reason": run.reason,
        "pull_request": None if run.pull_request is None else _pull_request(run.pull_request),
        "commits": None if run.change is None else _commits(run.change),
        "model": run.model,
        "coverage": run.coverage and run.coverage.value,
        "coverage_source": run.coverage_source and run.coverage_source.value,
        "highest_severity": run.highest_severity.label if run.highest_severity else None,
        "cost_usd": run.cost_usd,
        "quote": None if run.quote is None else quote_object(run.quote),
        "agents": [_agent(agent) for agent in run.agents],
        "verify": None if run.verifier is None else _verify(run, run.verifier),
        "guidelines": list(run.guidelines),
        "findings": [_finding(judged) for judged in run.findings],
        "left_out": [_finding(judged) for judged in run.left_out],
        "earlier": [_told(told) for told in run.earlier],
        "withheld": len(run.withheld),
        "rejected": dict(sorted(_rejected(run).items())),
        "warnings": list(run.warnings),
        "tools": list(run.tools),
        "review_url": run.review_url,
        "snapshot": None if run.snapshot is None else snapshot_object(run.snapshot),
    }


def dump(report: Mapping[str, object]) -> str:
    """A report as JSON text in ASCII, whatever bytes its paths hold; ends with a line feed."""
    return json.dumps(report, indent=1) + "\n"


def schema() -> dict[str, object]:
    """The JSON schema of the report."""
    text = (resources.files("pr_review.report") / "report.schema.json").read_text("utf-8")
    loaded: dict[str, object] = json.loads(text)
    return loaded


def _pull_request(pull: PullRequest) -> dict[str, object]:
    return {
        "repository": str(pull.repository),
        "number": pull.number,
        "author": pull.author,
        "base_ref": pull.base_ref,
        "head_ref": pull.head_ref,
        "fork": pull.fork,
    }


def _commits(change: Change) -> dict[str, object]:
    return {"merge_base": change.merge_base, "head": change.head}


def quote_object(quote: Quote) -> dict[str, object]:
    """A quote as the report and `snapshot --quote --format json` hold it; `words` is the line
    that people read."""
    return {
        "model": quote.model,
        "calls": quote.calls,
        "input_tokens": quote.input_tokens,
        "output_tokens": quote.output_tokens,
        "usd": quote.usd,
        "agents": [asdict(agent) for agent in quote.agents],
        "once_usd": quote.once_usd,
        "cache_usd": quote.cache_usd,
        "seconds": quote.seconds,
        "deadline": quote.deadline,
        "factor": quote.factor,
        "output_cap": quote.output_cap,
        "retries": quote.retries,
        "repair": quote.repair,
        "words": quote.words,
    }


def _agent(agent: AgentOutcome) -> dict[str, object]:
    return {
        "name": agent.name,
        "failure": agent.failure,
        "cut_short": agent.cut_short,
        "findings": len(agent.findings),
        "dropped": agent.dropped,
        "calls": agent.calls,
        "input_tokens": agent.input_tokens,
        "cached_tokens": agent.cached_tokens,
        "output_tokens": agent.output_tokens,
        "cost_usd": agent.cost_usd,
        "model": agent.model,
    }


def _verify(run: Run, verifier: AgentOutcome) -> dict[str, object]:
    """What became of the verify pass; the findings that it refuted stand in `left_out`."""
    spent = _agent(verifier)
    del spent["name"], spent["findings"]
    outcome = "failed" if verifier.failure else "answered"
    return {"outcome": outcome, "refuted": len(run.refuted), **spent}


def _finding(judged: Judged) -> dict[str, object]:
    finding = judged.finding
    return {
        "place": judged.place.value,
        "reason": judged.reason,
        "path": finding.path,
        "start": finding.start,
        "end": finding.end,
        "side": finding.side.value,
        "severity": finding.severity.label,
        "confidence": finding.confidence.label,
        "category": finding.category,
        "title": finding.title,
        "body": finding.body,
        "quote": finding.quote,
        "suggestion": finding.suggestion,
        "sources": list(finding.sources),
        "deterministic": finding.deterministic,
        "also": [_also(other) for other in judged.also],
        "merged": [_merged(other) for other in judged.merged],
    }


def _also(finding: Finding) -> dict[str, object]:
    """Another place of a pattern; `left_out` holds it in full."""
    return {
        "path": finding.path,
        "start": finding.start,
        "end": finding.end,
        "side": finding.side.value,
    }


def _merged(finding: Finding) -> dict[str, object]:
    """What was taken for the same; `left_out` holds it in full."""
    return {**_also(finding), "title": finding.title, "sources": list(finding.sources)}


def _told(told: Told) -> dict[str, object]:
    return {
        "state": told.state.value,
        "reason": told.reason,
        "path": told.path,
        "start": told.start,
        "end": told.end,
        "side": told.side.value,
        "severity": told.severity.label,
        "title": told.title,
        "deterministic": told.voice is not Voice.AGENT,
        "url": told.url,
    }


def _rejected(run: Run) -> Counter[str]:
    return Counter(j.reason for j in run.left_out)
