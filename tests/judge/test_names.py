"""A finding in a file whose name held a credential comes back to that file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pr_review.domain.ledger import Ledger
from pr_review.domain.text import quoted_path
from pr_review.judge.paths import resolve
from tests.judge.listing import entry, sent, snapshot

FIRST, SECOND, PLAIN = "conf/one-token/a.yml", "conf/another-token/a.yml", "conf/a.yml"
PRINTED = {
    FIRST: "conf/[REDACTED:github-pat]/a.yml",
    SECOND: "conf/[REDACTED:github-pat 2]/a.yml",
    PLAIN: PLAIN,
}


@pytest.mark.parametrize("path", [FIRST, SECOND, PLAIN])
@pytest.mark.parametrize("spelt", ["{}", "`{}`", "a/{}", "{}:3"])
def test_a_redacted_name_is_told_from_its_neighbour(path: str, spelt: str) -> None:
    files = [sent(name, "@@ -1,0 +1,1 @@\n+x") for name in PRINTED]
    given = snapshot(*files)
    entries = tuple(replace(entry(file), printed=PRINTED[file.path]) for file in files)
    given = replace(given, ledger=Ledger(entries))
    assert resolve(spelt.format(PRINTED[path]), given) == path
    assert resolve(quoted_path(PRINTED[path]), given) == path
    assert resolve("conf/[REDACTED:github-pat 3]/a.yml", given) is None
