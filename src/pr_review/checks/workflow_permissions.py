"""A workflow that may do more than before, or that runs code of strangers with its rights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pr_review.checks.check import CheckInput, Spot, code, finding, line_spot
from pr_review.checks.ports import Leaf
from pr_review.checks.workflows import ALL, TOP, Changed, Workflow, workflows
from pr_review.domain.finding import Finding, Severity

NAME = "workflow-permissions"

# Started by anybody's pull request, and run with the rights and secrets of the base repository:
# https://docs.github.com/en/actions/reference/security/secure-use
_PRIVILEGED = frozenset({"pull_request_target", "workflow_run", "issue_comment"})
_CHECKOUT = re.compile(r"(?i)actions/checkout(?:@.*)?")
_FOREIGN = re.compile(
    r"github\.event\.pull_request\.(?:head\.|merge_commit_sha)|github\.head_ref"
    r"|github\.event\.workflow_run\.head_|refs/pull/"
)
_PR_CHECKOUT = re.compile(r"\bgh pr checkout\b")
# The one that no default of a repository grants.
_NEVER_BY_DEFAULT = frozenset({"id-token"})


def run(given: CheckInput) -> tuple[Finding, ...]:
    """New workflows are told only for `write-all` and for code of strangers: what else they ask
    for is their first word.
    """
    return tuple(
        found
        for changed in workflows(given)
        for found in (*_wider(changed), *_unbounded(changed), *_foreign(changed))
    )


def _wider(changed: Changed) -> Iterator[Finding]:
    """One finding for each place that may write where the workflow might not before."""
    before = changed.before or Workflow()
    known = before.all_writes
    for place in changed.after.permissions:
        new = {s: leaf for s, leaf in changed.after.writes(place).items() if s not in known}
        if ALL in new:
            yield _all(changed, new[ALL])
        elif new and changed.before and ALL not in known:
            yield _more(changed, place, new, _weight(before, place, new))


def _weight(before: Workflow, place: str, new: Mapping[str, Leaf]) -> Severity:
    """A block where none was may take away more than it grants; a new job asks for its own."""
    bounded = TOP in before.permissions or place in before.permissions
    new_job = place != TOP and place not in before.jobs
    sure = (bounded or not _NEVER_BY_DEFAULT.isdisjoint(new)) and not new_job
    return Severity.MEDIUM if sure else Severity.LOW


def _all(changed: Changed, leaf: Leaf) -> Finding:
    return finding(
        NAME,
        changed.spot(leaf),
        severity=Severity.HIGH,
        category="security",
        title="A workflow may write to everything",
        body="`write-all` gives its token every right there is: whoever gets a step of it to run "
        "their code can push, release and approve. Name the scopes that it needs.",
    )


def _more(changed: Changed, place: str, new: Mapping[str, Leaf], severity: Severity) -> Finding:
    asked = ", ".join(code(f"{scope}: write") for scope in new)
    where = f"The job {code(place)}" if place else "Every job"
    return finding(
        NAME,
        changed.spot(*new.values()),
        severity=severity,
        category="security",
        title="A workflow asks for more permissions",
        body=f"{where} may use {asked}, which no part of this workflow asked for before. Check "
        "that it is needed, and for no more jobs than need it.",
    )


def _unbounded(changed: Changed) -> Iterator[Finding]:
    """Jobs that had permissions of their own or of the workflow's, and have the default now."""
    if changed.before is None:
        return
    before, after = changed.before.permissions, changed.after.permissions
    jobs = sorted(changed.before.jobs & changed.after.jobs)
    lost = [
        job
        for job in jobs
        if (TOP in before or job in before) and TOP not in after and job not in after
    ]
    if not lost or ALL in changed.before.all_writes:
        return
    yield finding(
        NAME,
        _removed(changed),
        severity=Severity.MEDIUM,
        category="security",
        title="A workflow's permissions are no longer limited",
        body=f"{', '.join(map(code, lost[:5]))} had a `permissions` block and has the "
        "repository's default now, which may be to write to everything. Keep the block.",
    )


def _removed(changed: Changed) -> Spot:
    for line in changed.file.lines:
        if line.removed and line.text.strip().startswith("permissions:"):
            return line_spot(changed.file, line)
    return Spot(changed.file.path)


def _foreign(changed: Changed) -> Iterator[Finding]:
    """Checks out what a stranger wrote, in a run that has rights and secrets."""
    events = sorted(changed.after.events & _PRIVILEGED)
    taken = list(_taken(changed.after)) if events else []
    if not taken:
        return
    before = changed.before or Workflow()
    if before.events & _PRIVILEGED and any(_taken(before)):
        return
    spot = changed.spot(*taken)
    yield finding(
        NAME,
        spot if spot.start else _trigger(changed, events[0]),
        severity=Severity.HIGH,
        category="security",
        title="A privileged workflow checks out a pull request's code",
        body=f"{code(events[0])} runs with this repository's secrets and a token that may write, "
        "and this step fetches what the author of a pull request wrote: a build, a test or an "
        "install of it runs their code with those rights. Use `pull_request`, or read the code "
        "without running any of it.",
    )


def _taken(workflow: Workflow) -> Iterator[Leaf]:
    """What says that a pull request's head is fetched."""
    steps = {leaf.path[:4] for leaf in workflow.used if _CHECKOUT.fullmatch(leaf.value)}
    for leaf in workflow.leaves:
        given = leaf.path[4:5] == ("with",) and leaf.path[:4] in steps
        command = leaf.path[-1:] == ("run",)
        if (given and _FOREIGN.search(leaf.value)) or (command and _PR_CHECKOUT.search(leaf.value)):
            yield leaf


def _trigger(changed: Changed, event: str) -> Spot:
    lines = (line for line in changed.file.lines if line.added and event in line.text)
    first = next(lines, None)
    return line_spot(changed.file, first) if first else Spot(changed.file.path)
