"""The table of checks, which of them run, and in which order their findings come."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace

import pytest

from pr_review.checks.catalogue import CHECKS, NAMES
from pr_review.checks.policy import ChecksPolicy, select
from pr_review.checks.run import MOST_FINDINGS, run
from pr_review.domain.diff import Side
from pr_review.domain.finding import Confidence, Severity
from pr_review.domain.ledger import Redaction
from pr_review.errors import ConfigurationError
from tests.checks.alarms import ALARMS, CONFLICT
from tests.checks.changes import given


def test_names_are_kebab_case_and_titles_are_one_line() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for check in CHECKS:
        assert re.fullmatch(r"[a-z]+(?:-[a-z]+)*", check.name)
        assert check.title.endswith(".")
        assert "\n" not in check.title


def test_all_is_the_default_and_none_is_none() -> None:
    assert select(ChecksPolicy()) == CHECKS
    assert select(ChecksPolicy(("none",))) == ()
    chosen = select(ChecksPolicy(("conflict-markers", "credential-added", "conflict-markers")))
    assert [check.name for check in chosen] == ["credential-added", "conflict-markers"]


def test_a_hyphen_takes_checks_off_all() -> None:
    left = select(ChecksPolicy(("-skipped-test", "-large-binary")))
    names = [check.name for check in left]
    assert names == [name for name in NAMES if name not in ("skipped-test", "large-binary")]
    with pytest.raises(ConfigurationError, match="some are named to run"):
        select(ChecksPolicy(("conflict-markers", "-skipped-test")))
    with pytest.raises(ConfigurationError, match="nearest is 'skipped-test'"):
        select(ChecksPolicy(("-skiped-test",)))


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("conflict-marker", "conflict-markers"),
        ("manifest-without-lock", "manifest-without-lockfile"),
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


def test_a_change_made_of_one_kind_of_line_is_told_in_bounds_and_in_time() -> None:
    conflicts = "<<<<<<< a\n>>>>>>> b\n" * 5_000
    started = time.process_time()
    told = run(given({}, {"a.js": "debugger;\n" * 5_000, "b.md": conflicts}), ChecksPolicy())
    assert time.process_time() - started < 2
    assert Counter(f.path for f in told) == {"a.js": MOST_FINDINGS + 1, "b.md": MOST_FINDINGS + 1}
    assert [f.title for f in told if f.start is None] == [
        f"4,900 more findings of {name} are not listed"
        for name in ("debugger-added", "conflict-markers")
    ]


def test_a_line_with_a_credential_is_not_repeated() -> None:
    word = "hunter2"
    before = {"test_a.py": "".join(f"def test_{word}_{n}(): ...\n" for n in "abc"), "a.py": ""}
    after = {"a.php": f"dd('{word}');\n", "b.test.js": f"it.only('{word}')\n", "a.py": ""}
    after |= {"c.test.js": f"xit('{word}')\n", "d": f"/{word}\n"}
    after |= {".github/workflows/e.yml": f"jobs: {{a: {{uses: a/{word}@v1}}}}\n"}
    hidden = [Redaction(path, 1, Side.RIGHT, "word") for path in after]
    hidden += [Redaction("test_a.py", n, Side.LEFT, "word") for n in (1, 2, 3)]
    links = {"d": ("120000", "120000")}
    told = run(given(before, after, modes=links), ChecksPolicy())
    assert [word in finding.body for finding in told] == [True] * 6
    kept = run(given(before, after, *hidden, modes=links), ChecksPolicy())
    assert ["[REDACTED]" in finding.body for finding in kept] == [True] * 6
    assert word not in repr([replace(finding, path="") for finding in kept])


def test_every_check_has_its_alarm() -> None:
    assert tuple(ALARMS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_check_speaks_under_its_own_name_and_is_off_alone(name: str) -> None:
    found = run(ALARMS[name], ChecksPolicy((name,)))
    assert {f.sources for f in found} == {(f"check:{name}",)}
    assert all(f.deterministic for f in found)
    sure = [f.confidence is Confidence.HIGH for f in found]
    assert sure == [f.severity > Severity.LOW for f in found]
    others = tuple(other for other in NAMES if other != name)
    assert run(ALARMS[name], ChecksPolicy(others)) == ()
