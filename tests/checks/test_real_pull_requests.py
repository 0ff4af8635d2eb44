"""Real pull requests, and how long a large change takes."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from pr_review.adapters.git import LocalSource
from pr_review.adapters.yaml_leaves import leaves
from pr_review.checks.check import CheckInput
from pr_review.checks.policy import ChecksPolicy
from pr_review.checks.run import run
from tests.checks.changes import given
from tests.shared import SHARED, shared

# What each of them brings, read by hand: all true.
ALARMS = {
    "netbox-community__netbox-22811": set[tuple[str, str, int | None]](),
    "simonw__datasette-2669": set(),
    "simonw__datasette-2732": set(),
    "encode__httpx-2468": set(),
    "withastro__astro-6344": {
        ("check:large-binary", "avif_node_dec.wasm", None),
        ("check:large-binary", "avif_node_enc.wasm", None),
        ("check:skipped-test", "core-image.test.js", 310),
    },
}


@pytest.mark.parametrize("name", ALARMS)
def test_ordinary_pull_requests_bring_no_false_alarm(name: str, tmp_path: Path) -> None:
    rows = json.loads(shared("corpus/prs.json").read_text(encoding="utf-8"))
    row = next(row for row in rows if row["id"] == name)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    refs = [f"{row[side]}:refs/heads/{side}" for side in ("base", "head")]
    bundle = str(SHARED / "corpus" / row["bundle"])
    subprocess.run(["git", "-C", str(tmp_path), "fetch", "-q", bundle, *refs], check=True)
    with LocalSource(tmp_path, base="base", head="head", max_bytes=8_000_000, passed={}) as source:
        found = run(CheckInput(source.change(), (), source.tree, leaves), ChecksPolicy())
    assert {(f.sources[0], Path(f.path).name, f.start) for f in found} == ALARMS[name]


def test_sixty_thousand_lines_are_read_in_well_under_a_second() -> None:
    names = ("a.test.ts", "b_test.go", "test_c.py", "d.rb", "e.rs", "FTest.java")
    code = "    const value = call('text', other) // and a word\n" * 100
    change = given({}, {f"{n}/{name}": code for n in range(100) for name in names})
    started = time.process_time()
    assert run(change, ChecksPolicy()) == ()
    assert time.process_time() - started < 1
