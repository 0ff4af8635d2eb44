"""What a run of the action leaves behind: log, job summary, reports and outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TypeVar

from pr_review.adapters.actions import cancellation
from pr_review.adapters.actions.environment import RunnerEnvironment
from pr_review.adapters.actions.log import Log
from pr_review.adapters.actions.outputs import create_report, write_outputs, write_summary
from pr_review.commands.pages import review_page
from pr_review.domain.review import Run
from pr_review.errors import PublishError
from pr_review.report.json_report import dump, report_object
from pr_review.report.log import lines
from pr_review.report.outputs import outputs
from pr_review.report.sarif import sarif_object, tells_all
from pr_review.report.summary import summary
from pr_review.review.body import summary_body

REPORT = "pr-review-report.json"
SARIF = "pr-review.sarif"
PAGE = "pr-review.html"
_UNFOLDED = 10
_NO_SUMMARY = "GITHUB_STEP_SUMMARY is not set, so there is no job summary"
_NO_OUTPUT = "GITHUB_OUTPUT is not set, so later steps get no outputs"

_T = TypeVar("_T")


def leave_behind(
    run: Run, runner: RunnerEnvironment, log: Log,
    *, advice: str = "", sarif: bool = False, html: bool = False,
) -> PublishError | None:  # fmt: skip
    """Tells a run in all places, from the one object; a cancellation waits until it is done.

    `advice` is Markdown that ends the job summary; `sarif` asks for a SARIF file of a run that
    says what is known of its head, `html` for the page of one that got as far as a snapshot. What
    one place does not take does not keep the others empty; answers with the first such failure.
    """
    with cancellation.held():
        _print(lines(run), log)
        text = summary(run, summary_body(run)) + (f"\n{advice}" if advice else "")

        def left(name: str, text: str) -> str:
            made = create_report(runner.runner_temp, name, text.encode(), checkout=runner.workspace)
            return str(made)

        with_sarif, with_page = sarif and tells_all(run), html and run.snapshot is not None
        report, unreported = _tried(lambda: left(REPORT, dump(report_object(run))), "")
        results, untold = _tried(
            lambda: left(SARIF, dump(sarif_object(run))) if with_sarif else "", ""
        )
        seen, unseen = _tried(lambda: left(PAGE, review_page(run)) if with_page else "", "")
        _, unsaid = _tried(lambda: write_summary(runner.summary_path, text), None)
        told = outputs(run, report=report, sarif=results, html=seen)
        _, unset = _tried(lambda: write_outputs(runner.output_path, told), None)
        for path, missing in ((runner.summary_path, _NO_SUMMARY), (runner.output_path, _NO_OUTPUT)):
            if path is None:
                log.warning(missing)
        return unsaid or unset or unreported or untold or unseen


def _print(told: Sequence[str], log: Log) -> None:
    """The first line, and the others folded if they are many."""
    log.text(told[0])
    rest = told[1:]
    with log.group("The run in detail") if len(rest) > _UNFOLDED else nullcontext():
        for line in rest:
            log.text(line)


def _tried(write: Callable[[], _T], otherwise: _T) -> tuple[_T, PublishError | None]:
    try:
        return write(), None
    except PublishError as error:
        return otherwise, error
