"""The page about generated files tells the rules that hold."""

from __future__ import annotations

from pr_review.snapshot.kinds import RULES
from tests.contract.generated_files import COMMAND, PAGE, page


def test_the_page_is_what_the_rules_make() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), f"stale: run `{COMMAND}`"


def test_every_pattern_stands_on_the_page() -> None:
    told = PAGE.read_text(encoding="utf-8")
    assert [p for rule in RULES for p in rule.patterns.split() if f"`{p}`" not in told] == []
