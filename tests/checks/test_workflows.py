"""Workflows that may do more than before, and actions that others can change."""

from __future__ import annotations

import time

import pytest

from pr_review.checks import unpinned_action, workflow_permissions
from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding, Severity
from tests.checks.changes import given

PATH = ".github/workflows/ci.yml"
SHA = "0123456789abcdef0123456789abcdef01234567"
STEPS = "    steps:\n      - uses: actions/checkout@v4\n"


def workflow(*, top: str = "", job: str = "", on: str = "push", steps: str = STEPS) -> str:
    own = f"    permissions: {job}\n" if job else ""
    return f"on: {on}\n{f'permissions: {top}' if top else '#'}\njobs:\n  a:\n{own}{steps}"


def permissions(before: str | None, after: str) -> tuple[Finding, ...]:
    return workflow_permissions.run(given({} if before is None else {PATH: before}, {PATH: after}))


@pytest.mark.parametrize(
    ("before", "after", "severity", "line"),
    [
        (workflow(), workflow(top="write-all"), Severity.HIGH, 2),
        (None, workflow(job="write-all"), Severity.HIGH, 5),
        (workflow(top="read-all"), workflow(top="{contents: write}"), Severity.MEDIUM, 2),
        (workflow(top="{contents: read}"), workflow(top="{contents: write}"), Severity.MEDIUM, 2),
        (workflow(top="{}"), workflow(top="{}", job="{packages: write}"), Severity.MEDIUM, 5),
        (workflow(), workflow(top="{contents: write}"), Severity.LOW, 2),
        (workflow(), workflow(top="{id-token: write}"), Severity.MEDIUM, 2),
    ],
)
def test_wider_permissions_are_told_at_their_line(
    before: str | None, after: str, severity: Severity, line: int
) -> None:
    (found,) = permissions(before, after)
    assert (found.severity, found.start, found.category) == (severity, line, "security")


def test_a_new_job_asks_for_its_own() -> None:
    before = workflow(top="{contents: read}")
    (found,) = permissions(before, f"{before}  b:\n    permissions: {{packages: write}}\n")
    assert found.severity is Severity.LOW
    assert "`packages: write`" in found.body
    assert "`b`" in found.body


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (workflow(top="{contents: write}"), workflow(top="{contents: read}")),
        (workflow(top="{contents: write}"), workflow(top="{}", job="{contents: write}")),
        (workflow(top="write-all"), workflow(top="{contents: write}")),
        (workflow(top="write-all"), workflow(top="write-all", on="[push, pull_request]")),
        (workflow(), workflow(top="{contents: read}")),
        (workflow(top="write-all"), workflow()),
        (None, workflow(top="{contents: write}")),
        (workflow(top="{}"), "jobs: ]\n"),
        ("jobs: ]\n", workflow(top="write-all")),
    ],
)
def test_what_is_no_wider_or_cannot_be_read_is_silent(before: str | None, after: str) -> None:
    assert permissions(before, after) == ()


@pytest.mark.parametrize("name", ["docs/ci.yml", "vendor/.github/workflows/ci.yml", "ci.yml"])
def test_what_github_does_not_run_is_silent(name: str) -> None:
    assert workflow_permissions.run(given({}, {name: workflow(top="write-all")})) == ()


def test_a_block_that_goes_away_is_told_where_it_stood() -> None:
    (found,) = permissions(workflow(top="{contents: read}"), workflow())
    assert (found.side, found.start, found.severity) == (Side.LEFT, 2, Severity.MEDIUM)
    (found,) = permissions(workflow(job="read-all"), workflow())
    assert (found.side, found.start) == (Side.LEFT, 5)
    (found,) = permissions(workflow().replace("#", '"permissions": read-all'), workflow())
    assert found.start is None
    moved = permissions(workflow(job="{contents: read}"), workflow(top="{contents: read}"))
    assert moved == ()


HEAD = "${{ github.event.pull_request.head.sha }}"
FOREIGN = f"{STEPS}        with:\n          ref: {HEAD}\n"
TARGET = "\n  pull_request_target:\n    types: [opened]"


@pytest.mark.parametrize("on", ["pull_request_target", "[push, workflow_run]", TARGET])
@pytest.mark.parametrize(
    "steps", [FOREIGN, "    steps:\n      - run: |\n          gh pr checkout 3\n"]
)
def test_code_of_strangers_in_a_privileged_run_is_told(on: str, steps: str) -> None:
    after = workflow(on=on, steps=steps)
    # told where it is fetched, or, if that was there before, where it became privileged
    befores = (None, workflow(on=on), workflow(on="pull_request", steps=steps))
    found = [permissions(before, after) for before in befores]
    assert [[f.severity for f in one] for one in found] == [[Severity.HIGH]] * 3
    starts = [one[0].start or 0 for one in found]
    assert starts[0] == starts[1] > 4 > starts[2] > 0
    assert permissions(after, f"{after}# more\n") == ()


def test_half_of_it_is_harmless() -> None:
    assert permissions(None, workflow(on="pull_request_target")) == ()
    assert permissions(None, workflow(on="pull_request", steps=FOREIGN)) == ()
    base = FOREIGN.replace(HEAD, "${{ github.event.pull_request.base.sha }}")
    assert permissions(None, workflow(on="pull_request_target", steps=base)) == ()


def using(*actions: str) -> str:
    return "jobs:\n  a:\n    steps:\n" + "".join(f"      - uses: {action}\n" for action in actions)


def pins(before: str | None, after: str, path: str = PATH) -> list[tuple[int | None, Severity]]:
    found = unpinned_action.run(given({} if before is None else {path: before}, {path: after}))
    return [(f.start, f.severity) for f in found]


PINNED = f"a/pinned@{SHA}  # v1"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (None, using("a/b@v1"), [(4, Severity.LOW)]),
        (None, using(PINNED, "a/b@v1"), [(5, Severity.MEDIUM)]),
        (using(PINNED), using(PINNED, "a/b/sub@main"), [(5, Severity.MEDIUM)]),
        (using(PINNED), using("a/pinned@v2"), [(4, Severity.MEDIUM)]),
        (using(f"actions/checkout@{SHA}"), using("actions/checkout@v4"), [(4, Severity.LOW)]),
        (using(), using("docker://alpine:3"), [(4, Severity.LOW)]),
        (None, "jobs:\n  a:\n    uses: o/r/.github/workflows/x.yml@main\n", [(3, Severity.LOW)]),
        (None, using("a/b@v1", "a/c@v1", "a/b@v1"), [(4, Severity.LOW), (5, Severity.LOW)]),
        (using("a/b@v1"), using("a/b@v2"), []),
        (using("a/b@v1"), using("a/b@v1", "A/b@v2"), []),
        (using("docker://r:5/alpine:3"), using("docker://r:5/alpine:4"), []),
        (None, using("actions/checkout@v4", "github/codeql-action/init@v3"), []),
        (None, using("./local", "./.github/actions/x", "$x", PINNED), []),
        (None, using(f"docker://alpine@sha256:{SHA}{SHA[:24]}"), []),
        (None, "env:\n  uses: a/b@v1\n", []),
    ],
)
def test_pins(before: str | None, after: str, told: list[tuple[int, Severity]]) -> None:
    assert pins(before, after) == told


def test_composite_actions_are_read_too() -> None:
    text = "runs:\n  steps:\n    - uses: a/b@v1\n"
    assert pins(None, text, "tools/setup/action.yml") == [(3, Severity.LOW)]
    assert pins(None, text, "tools/setup/other.yml") == []


def test_an_action_that_another_workflow_used_unpinned_is_no_news() -> None:
    other = ".github/workflows/other.yml"
    change = given({other: using("a/b@v1")}, {other: using("a/b@v2"), PATH: using("a/b@v2")})
    assert unpinned_action.run(change) == ()


def test_a_workflow_of_thousands_of_steps_is_read_but_once() -> None:
    step = "      - uses: actions/checkout@v4\n        with: {ref: x}\n"
    change = given(
        {}, {PATH: workflow(on="pull_request_target", steps=f"    steps:\n{step * 3000}")}
    )
    started = time.process_time()
    assert workflow_permissions.run(change) == unpinned_action.run(change) == ()
    assert time.process_time() - started < 2
