"""Texts that are no part of a file: what people wrote about a change, and paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pr_review.domain.pull_request import Brief
from pr_review.snapshot.policy import Screening
from pr_review.snapshot.ports import SecretScanner
from pr_review.snapshot.screen.keys import key_spans
from pr_review.snapshot.screen.rules import KEY_RULE, find
from pr_review.snapshot.screen.spans import Lines, Span, redact


def screen_text(text: str, scanner: SecretScanner) -> tuple[str, tuple[str, ...]]:
    """A free text without its credentials, and the rules that matched."""
    spans = _all_spans([text], scanner)[0]
    rules = tuple(dict.fromkeys(rule for _, _, rule in sorted(spans)))
    lines = text.split("\n")
    rows = Lines(enumerate(lines))
    own: dict[int, list[Span]] = defaultdict(list)
    for start, end, rule in spans:
        for index, low, high in rows.parts(start, end):
            own[index].append((low, high, rule))
    return "\n".join(redact(line, own.get(n, ())) for n, line in enumerate(lines)), rules


def screen_paths(paths: Sequence[str], scanner: SecretScanner) -> dict[str, str]:
    """The paths that hold a credential, each with `[REDACTED:<rule>]` in place of the value.

    Two paths that differ in their credentials alone become the same.
    """
    found = zip(paths, _all_spans(paths, scanner), strict=True)
    return {path: redact(path, spans) for path, spans in found if spans}


def _all_spans(texts: Sequence[str], scanner: SecretScanner) -> list[list[Span]]:
    """The spans of texts that are no part of a file, their key blocks included."""
    found = find(texts, scanner)
    for text, spans in zip(texts, found, strict=True):
        spans += [(start, end, KEY_RULE) for start, end in key_spans(text)]
    return found


def screen_brief(brief: Brief, scanner: SecretScanner, screening: Screening) -> Brief:
    """What people wrote, without its credentials: it is sent like the change itself."""
    if screening is Screening.OFF:
        return brief
    return Brief(
        screen_text(brief.title, scanner)[0],
        screen_text(brief.body, scanner)[0],
        tuple(screen_text(message, scanner)[0] for message in brief.commit_messages),
    )
