"""Writes docs/generated-files.md from the rules: `python -m tests.contract.generated_files`."""

from __future__ import annotations

from collections.abc import Iterator

from pr_review.domain.ledger import Tier
from pr_review.snapshot.kinds import RULES
from pr_review.snapshot.markers import MARKERS
from pr_review.snapshot.rules import Rule
from tests.contract.documents import ROOT

PAGE = ROOT / "docs" / "generated-files.md"
COMMAND = "python -m tests.contract.generated_files"

_HEAD = f"""\
# What counts as generated

This page is made from the rules in `src/pr_review/snapshot/kinds.py` and `markers.py`; after a
change there, run `{COMMAND}`.

Every changed file has a tier. Over the token budget the lowest tier goes first: generated files,
then assets, recorded output of tests, tests, and source last. What is left out is always named.

## Who decides

- **Names, text and attributes only lower.** A pull request chooses how it names its files and
  what it writes into them, and its author chooses the merge base by branching from an old commit.
  A path below, a sentence of a generator, or `linguist-generated` or `linguist-vendored` in the
  merge base's `.gitattributes` decides what goes first. Where such a file may hold code, it still
  counts for `coverage-source`: if `dist/app.js` was not shown in full, coverage of source is
  `partial`. The prompt says what the claim was. The attributes of the pull request itself have no
  say at all.
- **What no machine runs is excused by its name**: lockfiles, source maps, prose, pictures, JSON
  (but not `package.json`), the rules marked *data* below; unless the file is executable or begins
  with `#!`. So is a file that is deleted. *Binary* data is excused only where its form is: text
  under the name of a picture counts. An SVG drawing is excused where it holds no script, handler,
  outer link or entity and its end could be read.

To have vendored or generated code go first, commit this to the base branch:

```gitattributes
vendor/** linguist-vendored
dist/** linguist-generated
```

## Paths

Names count in every folder, and folders as whole segments: `rebuild/` is not `build/`. The first
rule that holds counts; what none of them names is source.
"""
_MARKERS = """
## Sentences of generators

They count in comments above the first code of a file, within its first 2,000 bytes, and lower the
file to *generated*. A migration that Django has begun stays source, after code unless it runs
functions or SQL. Two more signs: `source map` (JSON that begins with `"version":3`), and `minified`
(long lines throughout; never prose or a notebook, and not where the file's first lines look
written). Outputs inside a notebook are not told from its cells: the notebook is source.

| says | for example | see |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    tiers = "".join(_tier(tier) for tier in Tier if tier is not Tier.SOURCE)
    markers = "".join(
        f"| {known.says.replace('<', '&lt;')} | `{known.example}` | {_link(known.source)} |\n"
        for known in MARKERS
    )
    return f"{_HEAD}{tiers}{_MARKERS}{markers}"


def _tier(tier: Tier) -> str:
    rules = [rule for rule in RULES if rule.tier is tier]
    return "\n".join(
        [
            f"\n### {tier.label.capitalize()}\n",
            "| what | paths | data | see |",
            "|---|---|---|---|",
            *(_row(rule) for rule in rules),
            "",
        ]
    )


def _row(rule: Rule) -> str:
    paths = ", ".join([_codes(rule.patterns), *_conditions(rule)])
    return f"| {rule.what} | {paths} | {_data(rule)} | {_link(rule.source)} |"


def _data(rule: Rule) -> str:
    return "binary" if rule.binary else "yes" if rule.data else ""


def _conditions(rule: Rule) -> Iterator[str]:
    if rule.below:
        yield "only in a folder of tests"
    if rule.not_below:
        yield f"not inside of {_codes(' '.join(f'{name}/' for name in sorted(rule.not_below)))}"
    if rule.unless:
        yield f"except {_codes(rule.unless)}"


def _codes(words: str) -> str:
    return " ".join(f"`{word}`" for word in words.split())


def _link(url: str) -> str:
    return f"[{url.split('/')[2]}]({url})" if url else ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
