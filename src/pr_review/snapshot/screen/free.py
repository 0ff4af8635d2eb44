"""Texts that are no part of a file: what people and tools say about a change, and paths."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from pr_review.domain.finding import Finding
from pr_review.domain.pull_request import Brief, PullRequest
from pr_review.snapshot.policy import Screening
from pr_review.snapshot.ports import SecretScanner
from pr_review.snapshot.screen.rules import find
from pr_review.snapshot.screen.spans import Lines, Span, redact


def screen_paths(paths: Sequence[str], scanner: SecretScanner) -> dict[str, str]:
    """The paths that hold a credential, each with `[REDACTED:<rule>]` in place of the value.

    Different paths stay different: of several that would read the same, and of one that would
    read like another path, the mark is numbered (`[REDACTED:<rule> 2]`) in the paths' order.
    """
    distinct = sorted(set(paths))
    found = zip(distinct, find(distinct, scanner), strict=True)
    taken, count = set(distinct), Counter[str]()
    names: dict[str, str] = {}
    for path, spans in found:
        if spans:
            plain = name = redact(path, spans)
            mark = plain.index("]", min(spans)[0])
            while name in taken:
                count[plain] += 1
                name = f"{plain[:mark]} {count[plain] + 1}{plain[mark:]}"
            taken.add(name)
            names[path] = name
    return names


def screen_texts(
    texts: Sequence[str], scanner: SecretScanner, screening: Screening
) -> tuple[str, ...]:
    """Texts of the repository's own that are sent, such as its agents, without credentials."""
    return tuple(texts if screening is Screening.OFF else _clean(texts, scanner))


def screen_brief(brief: Brief, scanner: SecretScanner, screening: Screening) -> Brief:
    """What people wrote, without its credentials: it is sent like the change itself."""
    if screening is Screening.OFF:
        return brief
    said = [guideline.text for guideline in brief.guidelines]
    texts = [brief.title, brief.body, *said, *brief.commit_messages]
    title, body, *clean = _clean(texts, scanner)
    guidelines = tuple(replace(g, text=t) for g, t in zip(brief.guidelines, clean, strict=False))
    messages = tuple(clean[len(guidelines) :])
    return replace(brief, title=title, body=body, commit_messages=messages, guidelines=guidelines)


def screen_branches(pull: PullRequest, scanner: SecretScanner, screening: Screening) -> PullRequest:
    """The pull request as it may be printed: its branches' names without credentials."""
    if screening is Screening.OFF:
        return pull
    base, head = _clean([pull.base_ref, pull.head_ref], scanner)
    return replace(pull, base_ref=base, head_ref=head)


def screen_findings(
    findings: Sequence[Finding], scanner: SecretScanner, screening: Screening
) -> tuple[Finding, ...]:
    """What tools say about a change, title and body without credentials: it is sent, too."""
    if screening is Screening.OFF:
        return tuple(findings)
    clean = iter(_clean([text for f in findings for text in (f.title, f.body)], scanner))
    return tuple(replace(f, title=next(clean), body=next(clean)) for f in findings)


def _clean(texts: Sequence[str], scanner: SecretScanner) -> list[str]:
    found = zip(texts, find(texts, scanner), strict=True)
    return [_redacted(text, spans) for text, spans in found]


def _redacted(text: str, spans: Sequence[Span]) -> str:
    """The text with its spans replaced line by line: the count of its lines stays."""
    lines = text.split("\n")
    rows = Lines(enumerate(lines))
    own: dict[int, list[Span]] = defaultdict(list)
    for start, end, rule in spans:
        for index, low, high in rows.parts(start, end):
            own[index].append((low, high, rule))
    return "\n".join(redact(line, own.get(n, ())) for n, line in enumerate(lines))
