"""Rules for paths: the last one that says something holds."""

from __future__ import annotations

from pr_review.domain.ledger import Tier
from pr_review.domain.path_rule import PathRule, reviewers, ruled_tier

RULES = (
    PathRule(("src/",), agents=("bugs", "security"), tier=Tier.SOURCE),
    PathRule(("*.py", "docs/**"), instructions="Mind the words."),
    PathRule(("src/made/",), tier=Tier.GENERATED),
    PathRule(("src/web/{a,b}.ts",), agents=("bugs",)),
)


def test_the_last_rule_that_names_agents_names_the_reviewers() -> None:
    paths = ("src/made/x.py", "src/web/a.ts", "docs/x.md")
    assert [reviewers(RULES, path) for path in paths] == [("bugs", "security"), ("bugs",), ()]


def test_the_last_rule_that_gives_a_tier_gives_it_the_lowest_too() -> None:
    paths = ("src/a.py", "src/made/a.py", "src/web/a.ts", "docs/a.md")
    found = [ruled_tier(RULES, path) for path in paths]
    assert found == [Tier.SOURCE, Tier.GENERATED, Tier.SOURCE, None]
