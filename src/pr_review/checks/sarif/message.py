"""What a result says, as a title and a body in plain text."""

from __future__ import annotations

import re

from pr_review.checks.sarif.log import Node, dig, listed, text

_MOST_TITLE = 160
_MOST_BODY = 2_000
_MOST_TEMPLATE = 4_000
_MOST_ARGUMENT = 500
_MOST_FILLED = 40
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,3})\}")
# A link names a related place by number, or another page.
_LINK = re.compile(r"(?<!\\)\[((?:[^\[\]\\]|\\.)*)\]\((\d+|https?://[^\s()]+)\)")
_ESCAPED = re.compile(r"\\([\[\]])")
_SENTENCE = re.compile(r"(.+?[.!?])(?=\s)|(.+)", re.DOTALL)
_PAGE = re.compile(r"https?://[^\s<>]{1,300}")


def title_and_body(result: Node, rule: Node, run: Node, *, source: str) -> tuple[str, str]:
    """The first sentence of a result's message; then its rest, what its fix does, and the address
    of the rule's page.

    The title is not empty. What the rule says of itself stands in for a message alone: it is
    often a template, or speaks of another case.
    """
    about = text(dig(rule, "shortDescription", "text")).strip()
    title, rest = _split(_message(result, rule, run) or about or source)
    remedy = text(dig(result, "fixes", 0, "description", "text")).strip()
    body = "\n\n".join(filter(None, (rest, remedy, _page(rule))))
    return title, _cut(body, _MOST_BODY)


def _message(result: Node, rule: Node, run: Node) -> str:
    message = result.get("message")
    name = text(dig(message, "id"))
    known = (
        text(dig(message, "text")),
        text(dig(rule, "messageStrings", name, "text")),
        text(dig(run, "tool", "driver", "globalMessageStrings", name, "text")),
        text(dig(message, "markdown")),
    )
    template = next(filter(None, known), "")
    given = [text(one)[:_MOST_ARGUMENT] for one in listed(dig(message, "arguments"))]
    filled = _filled(template[:_MOST_TEMPLATE], given)[:_MOST_TEMPLATE]
    return _ESCAPED.sub(r"\1", _LINK.sub(_unlinked, filled)).strip()


def _filled(template: str, arguments: list[str]) -> str:
    """Placeholders are numbers in braces; a doubled brace is one. Without arguments the text
    is left alone: tools forget to double the braces of code that they quote. The first few are
    filled, since a short log could ask for any length."""

    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        index = int(match[1])
        return arguments[index] if index < len(arguments) else match[0]

    return _PLACEHOLDER.sub(fill, template, count=_MOST_FILLED) if arguments else template


def _unlinked(match: re.Match[str]) -> str:
    return match[1] if match[2].isdigit() else f"{match[1]} ({match[2]})"


def _split(said: str) -> tuple[str, str]:
    """The first sentence, without its full stop, and the rest; all of it where that is long."""
    first, line_feed, more = said.partition("\n")
    found = _SENTENCE.match(first)
    sentence = found[0] if found else first
    rest = f"{first[len(sentence) :]}{line_feed}{more}".strip()
    title = " ".join(sentence.split())
    if len(title) > _MOST_TITLE:
        return _cut(title, _MOST_TITLE), said
    return title.removesuffix("."), rest


def _cut(said: str, most: int) -> str:
    return said if len(said) <= most else f"{said[: most - 1].rstrip()}…"


def _page(rule: Node) -> str:
    address = text(rule.get("helpUri")).strip()
    return address if _PAGE.fullmatch(address) else ""
