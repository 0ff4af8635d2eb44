"""Each call of a run times each fault: at most one review, none pending, nothing found is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pr_review.commands.pace import Pace
from tests.faults.matrix import (
    CALLS,
    FINDING,
    NUMBER,
    TROUBLES,
    Call,
    Ended,
    Trouble,
    repository,
    run,
    troubled,
)
from tests.faults.table import CELL
from tests.standins.github import GitHubServer

FOR_GOOD = 1_000
# GitHub has done what it was asked to do: the run looks, and finds it
DONE_ALL_THE_SAME = {"502 after effect", "cut body", "slow drip"}
WRITES = {"pending review", "submission"}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository; one run without a fault, since the first one loads what all need."""
    folder = tmp_path_factory.mktemp("faults")
    made = repository(folder / "widgets.git")
    with GitHubServer(made) as github:
        github.open_pull(NUMBER)
        assert run(github, folder / "job", pace=Pace()).code == 0
    return made


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.name)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_a_fault_costs_no_review_and_makes_no_second(
    call: Call,
    trouble: Trouble,
    bare: Path,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    said: list[str] = []
    # what GitHub says to last is not asked twice, so once is for good
    for times in (FOR_GOOD,) if trouble.lasts else (1, FOR_GOOD):
        with GitHubServer(bare) as github:
            github.open_pull(NUMBER)
            with troubled(github, call, trouble, times):
                ended = run(github, tmp_path / str(times), pace=trouble.pace)
            _right(ended, call, trouble, for_good=times == FOR_GOOD)
            said.append(ended.words)
    record_property(CELL, (call.name, trouble.name, " / ".join((*said, *said)[:2])))


def _right(ended: Ended, call: Call, trouble: Trouble, *, for_good: bool) -> None:
    assert ended.submitted <= 1
    assert ended.pending == 0, ended.log
    done = call.name in WRITES and trouble.name in DONE_ALL_THE_SAME
    ends = call.code and not done and (for_good or trouble.lasts)
    if not ends:
        assert (ended.code, ended.submitted) == (0, 1), ended.log
        assert ended.outputs["status"] == "reviewed"
    else:
        assert (ended.code, ended.submitted) == (call.code, 0), ended.log
        assert ended.outputs["status"] == "failed"
    if ended.submitted or call.name in WRITES:
        assert FINDING in ended.summary
    assert "Traceback" not in ended.log
