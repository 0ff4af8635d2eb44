"""The run as one SARIF log with one run.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html; what code scanning reads of it:
https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
"""

from __future__ import annotations

from pr_review import __version__
from pr_review.domain.review import Run, RunStatus
from pr_review.report.sarif.notices import NOTICES, notifications
from pr_review.report.sarif.parts import Json
from pr_review.report.sarif.results import fingerprinted, results
from pr_review.report.sarif.rules import rules_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
#: Names the analysis among others of a commit; a slash at its end, as there is no id of a run.
AUTOMATION = "pr-review/"


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
    told = results(run)
    rules = rules_of(told)
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
                        "toolExecutionNotifications": list(notifications(run)),
                    }
                ],
                "results": [
                    {**one.json, "ruleIndex": index[one.rule]} for one in fingerprinted(told, run)
                ],
                "properties": _properties(run),
            }
        ],
    }


def _driver(rules: list[Json]) -> Json:
    notices = [{"id": name, "shortDescription": {"text": said}} for name, said in NOTICES.items()]
    return {
        "name": "pr-review",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": rules,
        "notifications": notices,
    }


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
