"""The job summary: what the review says, with every finding and omission."""

from __future__ import annotations

from pr_review.domain.review import Run


def summary(run: Run, text: str) -> str:
    """Markdown for the job summary around `text`, the review with room for all of it.

    Ends with a line feed. It is as long as `text` and a few hundred bytes more.
    """
    pull = run.pull_request
    title = f"## pr-review of {pull.repository}#{pull.number}" if pull else "## pr-review"
    link = f"[The review on the pull request]({run.review_url})" if run.review_url else ""
    return "\n\n".join(part for part in (title, link, text) if part) + "\n"
