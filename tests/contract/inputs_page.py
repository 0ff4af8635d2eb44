"""Writes the table of inputs from the settings: `python -m tests.contract.inputs_page`."""

from __future__ import annotations

import re

from tests.contract import documents

PAGE = "docs/inputs.md"
HEAD = "| Input | Default | Meaning |\n| --- | --- | --- |\n"


def written(page: str) -> str:
    """The page with one row for every setting, and all else as it was."""
    rows = [f"| {' | '.join(documents.input_row(name))} |\n" for name in documents.settings()]
    table = HEAD + "".join(rows)
    return re.sub(re.escape(HEAD) + r"(?:\|.*\n)+", lambda _: table, page, count=1)


def main() -> None:
    page = documents.ROOT / PAGE
    page.write_text(written(documents.text(PAGE)), encoding="utf-8")


if __name__ == "__main__":
    main()
