"""The outputs of the action."""

from __future__ import annotations

from pr_review.domain.review import Run


def outputs(run: Run, *, report: str = "", sarif: str = "", html: str = "") -> dict[str, str]:
    """Every output by its outward name; empty where there is nothing to say.

    `agents-failed` holds names, `findings` how many stand (told now, or told before and still
    open), `report`, `sarif` and `html` the paths of what was written.
    `cost-usd` is empty if a price is unknown: unknown is not free.
    """
    cost = run.cost_usd
    return {
        "status": run.status.value,
        "coverage": str(run.coverage or ""),
        "coverage-source": str(run.coverage_source or ""),
        "agents-failed": ",".join(agent.name for agent in run.agents_failed),
        "findings": str(len(run.findings) + len(run.still_open)),
        "highest-severity": run.highest_severity.label if run.highest_severity else "",
        "review-url": run.review_url,
        "cost-usd": "" if cost is None else f"{cost:.6f}",
        "digest": run.snapshot.digest if run.snapshot else "",
        "report": report,
        "sarif": sarif,
        "html": html,
    }
