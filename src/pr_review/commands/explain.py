"""`pr-review explain`: was this line shown? if not, why, and what setting would show it?"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from pr_review.adapters.tokens import token_counter
from pr_review.commands.printing import show
from pr_review.commands.sources import Subject, subject
from pr_review.domain.diff import Change
from pr_review.snapshot.explain import Limits, explain, lines


def run(parsed: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Prints what became of a file or of a line of a change."""
    asked = subject(parsed, environ)
    limits = Limits(asked.policy, asked.settings.max_diff_bytes)
    with asked.opened() as source:

        def read(size: int) -> Change:
            return source.change() if size == limits.diff_bytes else _reread(asked, size)

        tools, counter = asked.tools(source), token_counter()
        found = explain(parsed.place, read, tools, counter, limits, needs=parsed.needs)
    show("".join(f"{line}\n" for line in lines(found)), environ)
    return 0


def _reread(asked: Subject, size: int) -> Change:
    with asked.within(size) as source:
        return source.change()
