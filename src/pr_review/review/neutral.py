"""What a model wrote, made harmless for GitHub and still readable.

Nobody is pinged, nothing is closed, loaded or linked, and no text can leave its place: HTML,
images, links, tables, headings, maths and references are shown as the characters they are.
Code spans and blocks of code keep their text, inside fences that we write ourselves.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from pr_review.domain.text import visible, visible_line

# GitHub resolves mentions and references on rendered text, so an entity for the character
# itself would not help; a zero-width space behind it does, and stands in the source in letters.
_BREAK = "&#8203;"
_NO_WIDTH = "\u200b"

_LIVE = re.compile(
    r"""
    (?<![A-Za-z0-9])@(?=\w)     # a mention, not the middle of a mail address
  | \#(?=\d)                    # references to issues
  | (?<![A-Za-z0-9])GH-(?=\d)
  | :(?=//)                     # any address
  | (?<![A-Za-z0-9])www(?=\.)   # GitHub links these without a scheme
  | :-|-:(?!//)                # alignment in the second row of a table
  | (?P<block>                  # what starts a block in a list or quotation
        ~{3,} | (?<![^\s>])\#{1,6}(?=\s|$)
    )
  | [&<\\\[\]|`$]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ESCAPED = {
    "&": "&amp;", "<": "&lt;", "\\": "\\\\", "[": "\\[", "]": "\\]", "|": "\\|",
    "`": "&#96;", "$": "&#36;", ":-": ":\\-", "-:": "\\-:",
}  # fmt: skip

_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})[ \t]*(.*)$")
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9+#-]{0,19}")
# Blocks that GitHub turns into something else than code.
_RENDERED = frozenset({"suggestion", "mermaid", "math", "geojson", "topojson", "stl"})
_MARKER = re.compile(r"pr-review:(?=\w)", re.IGNORECASE)


def neutral(text: str, *, limit: int = 6_000) -> str:
    """Markdown from a model as Markdown that is safe to post.

    At most `limit` characters of `text` are taken, and the rest is said to be missing. Blocks
    of code that were left open are closed. The result starts no block that is open at its
    end, so what follows it after a blank line is ours.
    """
    return "\n".join(_blocks(_clean(text, limit).split("\n"))).strip("\n")


def neutral_line(text: str, *, limit: int = 200) -> str:
    """The same on one line, for titles and names: white space is joined, code spans stay."""
    return _inline(" ".join(_clean(text, limit).split()))


def cell(text: str, *, limit: int = 200) -> str:
    """The same as `neutral_line` for a cell of a table."""
    return _inline(" ".join(_clean(text, limit).split()), table=True)


def code(text: str) -> str:
    """Text as one code span, hidden characters written out; for paths and names, in tables too."""
    return _span(_MARKER.sub("pr-review: ", visible_line(text)), table=True)


def block(text: str, info: str = "") -> str:
    """A block of code with a fence longer than any run of backticks inside."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{info}\n{text}\n{fence}"


def plain(markdown: str) -> str:
    """One line of our Markdown as the text that it shows, but for backquotes."""
    return visible_line(unescaped(markdown.replace("**", "")))


def unescaped(line: str) -> str:
    """What `neutral_line` was given, but for hidden characters and white space."""
    return re.sub(r"\\([\\\[\]|:#~-])", r"\1", html.unescape(line).replace(_NO_WIDTH, ""))


def _clean(text: str, limit: int) -> str:
    text = text.replace("\r\n", "\n")
    if len(text) > limit:
        text = f"{text[:limit]}… ({len(text) - limit:,} more characters)"
    return _MARKER.sub("pr-review: ", visible(text))


def _blocks(lines: list[str]) -> Iterator[str]:
    """Prose line by line; each block of code as a whole, with a fence of ours around it."""
    rest = iter(lines)
    for line in rest:
        fence = _FENCE.match(line)
        # An info string with a backtick is no fence but a code span: "``` x ```".
        if fence is None or (fence[1][0] == "`" and "`" in fence[2]):
            yield _prose(line)
            continue
        content = []
        for inner in rest:
            if re.fullmatch(rf"\s*{fence[1][0]}{{{len(fence[1])},}}\s*", inner):
                break
            content.append(inner)
        yield block("\n".join(content), _language(fence[2]))


def _language(info: str) -> str:
    name = info.split(" ", maxsplit=1)[0]
    safe = _LANGUAGE.fullmatch(name) is not None and name.lower() not in _RENDERED
    return name if safe else "text"


def _prose(line: str) -> str:
    text = _inline(line)
    # A line of these alone would make a heading of the line above.
    text = re.sub(r"^([\s>]*)(=+|-+)(\s*)$", r"\1\\\2\3", text)
    # Other bots read commands at the start of a line, in the source.
    text = re.sub(r"^(\s*)/", r"\1&#47;", text)
    # Four blanks or a tab would make code of it, where our escapes show.
    return re.sub(r"^(?: {4,}|[ ]*\t\s*)(?![-*+] |\d+[.)] )", "   ", text)


def _inline(line: str, *, table: bool = False) -> str:
    """One line: code spans as they are, everything else escaped."""
    out = []
    rest = line
    while match := _CODE.search(rest):
        out += [_escaped(rest[: match.start()]), _span(_unpadded(match[2]), table=table)]
        rest = rest[match.end() :]
    return "".join([*out, _escaped(rest)])


def _unpadded(content: str) -> str:
    """The blank on each side of a code span that keeps backticks off its own."""
    padded = content[0] == content[-1] == " " and content.strip(" ") != ""
    return content[1:-1] if padded else content


def _escaped(text: str) -> str:
    return _LIVE.sub(_dead, text)


def _dead(match: re.Match[str]) -> str:
    found = match[0]
    if match["block"]:
        return "\\" + found
    return _ESCAPED.get(found, found + _BREAK)


def _span(text: str, *, table: bool = False) -> str:
    """A code span around text of one line, whatever backticks it holds."""
    if table and "|" in text:
        # A row is split into cells before code is looked for, and no number of backslashes
        # means the same to every reader: https://github.github.com/gfm/#example-200
        return _escaped(text)
    ticks = "`" * (_longest_run(text) + 1)
    edge = " " if text[:1] in ("`", " ", "") or text[-1:] in ("`", " ") else ""
    return f"{ticks}{edge}{text}{edge}{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
