"""Text of models in comments, in the review and in the notice: readable, and without life."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from pr_review.domain.diff import Status
from pr_review.domain.finding import Judged, Place
from pr_review.domain.ledger import Entry, Ledger, Reason, Tier
from pr_review.domain.text import quoted_path, visible
from pr_review.review import ReviewPolicy
from pr_review.review.body import body
from pr_review.review.comments import comment, title
from pr_review.review.fit import BODY_LIMIT, units
from pr_review.review.neutral import cell, code, neutral, neutral_line
from pr_review.snapshot.notice import notice
from tests.review.harmless import INLINES, LIVE, MARKDOWN, assert_harmless, inlines
from tests.review.scenarios import SCENARIOS, finding

_TAGS = re.compile(
    r"(?:\s|</?(?:details|summary|sub|br)>|<!-- pr-review:v[^<>]*-->|(?<=<summary>)[^<>]*)*"
)
_PLAIN = re.compile(r"[\w .,:;()/|\[\]#@$&<>!?+*-]{1,100}", re.ASCII)


def check(data: bytes) -> None:
    """The first line is a title, all of it a body."""
    text = data.decode("utf-8", "surrogateescape")
    line = text.partition("\n")[0]
    assert_harmless(neutral(text))
    assert_harmless(f"High: {neutral_line(text)}")
    _stays_in_its_cell(text, line)
    _comment(text, line)
    _body(text, line)
    _notice(text)


def _encodable(text: str) -> str:
    """As readers of answers and of SARIF give suggestions on, which are printed as they are."""
    return text.encode("utf-8", "replace").decode()


def _stays_in_its_cell(text: str, name: str) -> None:
    row = f"| a | b |\n| -- | -- |\n| x {cell(text)} | x {code(name)} |"
    tokens = MARKDOWN.parse(row)
    assert len([token for token in tokens if token.type == "td_open"]) == 2
    _no_life(row)


def _no_life(markdown: str) -> None:
    found = list(inlines(markdown))
    assert not INLINES & {token.type for token in found}
    assert not any(LIVE.search(token.content) for token in found if token.type == "text")


def _comment(text: str, line: str) -> None:
    """Our own block of a suggestion is the only one, and the title can be read again."""
    said = finding(
        title=line, body=text, suggestion=_encodable(text), category=line, sources=(line,)
    )
    made = comment(Judged(said, Place.INLINE)).body
    made.encode()
    fences = [token for token in MARKDOWN.parse(made) if token.type == "fence"]
    offered = [token.content for token in fences if token.info == "suggestion"]
    assert len(offered) == 1
    _ours_alone(made)
    if _PLAIN.fullmatch(line) and line.strip() and "pr-review:" not in line.lower():
        assert title(made) == " ".join(line.split())


def _body(text: str, line: str) -> None:
    run = replace(SCENARIOS["clean"], agents=())
    said = finding(title=line, body=text, suggestion=_encodable(text), path=f"src/{line or 'x'}")
    judged = (Judged(said, Place.BODY, line), Judged(replace(said, title=text), Place.NOTED, text))
    made = body(replace(run, judged=judged), ReviewPolicy())
    assert units(made) <= BODY_LIMIT
    made.encode()
    _ours_alone(made, marked=1)


def _ours_alone(markdown: str, *, marked: int = 0) -> None:
    """HTML is of the few tags that we write, and nothing is linked, loaded or headed."""
    marks = 0
    for token in [*MARKDOWN.parse(markdown), *inlines(markdown)]:
        if token.type in ("html_block", "html_inline"):
            assert _TAGS.fullmatch(token.content), token.content
            marks += token.content.count("<!--")
        if token.type == "text":
            assert not LIVE.search(token.content), token.content
        assert token.type not in ("image", "link_open", "heading_open")
    assert marks == marked


def _notice(text: str) -> None:
    """Each file that is not shown has its one row, whatever it is called; those that read alike
    share one, with their count."""
    names = [name for name in dict.fromkeys(text.split("\0")) if name][:20]
    alike = Counter(quoted_path(name) for name in names)
    ledgers = (_ledger(names), _ledger([f"{number}.py" for number in range(len(names))]))
    written, plain = (notice(one, max_tokens=100_000, count=len) for one in ledgers)
    assert written == visible(written)
    assert written.count("\n") == plain.count("\n") - len(names) + len(alike)
    for name, count in alike.items():
        assert f"- {name} {count} files (" in written or count == 1
    small = notice(ledgers[0], max_tokens=10, count=len)
    assert small.count("\n") <= plain.count("\n")


def _ledger(names: list[str]) -> Ledger:
    return Ledger(
        tuple(
            Entry(name, None, Status.ADDED, Tier.SOURCE, 3, 0, reason=Reason.BUDGET, full_tokens=9)
            for name in names
        )
    )
