"""The table of checks, which of them run, and in which order their findings come."""

from __future__ import annotations

import pytest

from pr_review.checks.catalogue import CHECKS, NAMES
from pr_review.checks.policy import ChecksPolicy, select
from pr_review.checks.run import run
from pr_review.domain.diff import Side
from pr_review.domain.ledger import Redaction
from pr_review.errors import ConfigurationError
from tests.checks.changes import given
from tests.checks.samples import SAMPLES

CONFLICT = "<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> topic\n"


def test_names_are_kebab_case_and_titles_are_one_line() -> None:
    assert NAMES == (
        "credential-added",
        "conflict-markers",
        "manifest-without-lockfile",
        "lockfile-without-manifest",
    )
    for check in CHECKS:
        assert check.title.endswith(".")
        assert "\n" not in check.title


def test_all_is_the_default_and_none_is_none() -> None:
    assert select(ChecksPolicy()) == CHECKS
    assert select(ChecksPolicy(("none",))) == ()
    chosen = select(ChecksPolicy(("conflict-markers", "credential-added", "conflict-markers")))
    assert [check.name for check in chosen] == ["credential-added", "conflict-markers"]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("conflict-marker", "conflict-markers"),
        ("manifest", "manifest-without-lockfile"),
        ("nothing", "none"),
    ],
)
def test_an_unknown_check_names_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(ConfigurationError, match=f"nearest is '{nearest}") as caught:
        select(ChecksPolicy((name,)))
    assert caught.value.exit_code == 2


def test_findings_come_sorted_and_only_from_the_chosen_checks() -> None:
    files = {"b.py": CONFLICT, "a.py": f"x\n{CONFLICT}"}
    hidden = Redaction("b.py", 2, Side.RIGHT, "jwt", added=True)
    everything = run(given({}, files, hidden), ChecksPolicy())
    assert [(f.path, f.start) for f in everything] == [("a.py", 2), ("b.py", 1), ("b.py", 2)]
    some = run(given({}, files, hidden), ChecksPolicy(("credential-added",)))
    assert [(f.path, f.start) for f in some] == [("b.py", 2)]
    assert run(given({}, files, hidden), ChecksPolicy(("none",))) == ()


def test_every_check_names_itself_as_the_source() -> None:
    hidden = Redaction("a.py", 9, Side.RIGHT, "jwt", added=True)
    pnpm = next(s for s in SAMPLES if s.lockfile == "pnpm-lock.yaml")
    npm = SAMPLES[0]
    old = {
        f"a/{npm.manifest}": npm.old[0],
        f"a/{npm.lockfile}": npm.old[1],
        f"b/{pnpm.manifest}": pnpm.old[0],
        f"b/{pnpm.lockfile}": pnpm.old[1],
    }
    new = {f"a/{npm.manifest}": npm.new[0], f"b/{pnpm.lockfile}": pnpm.new[1], "a.py": CONFLICT}
    found = run(given(old, {**old, **new}, hidden), ChecksPolicy())
    assert {f.sources for f in found} == {(f"check:{name}",) for name in NAMES}
    assert all(f.deterministic for f in found)
