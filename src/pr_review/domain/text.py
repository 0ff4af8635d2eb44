"""Untrusted text made harmless to look at: every character shows itself or its number."""

from __future__ import annotations

import hashlib
import re

# Our own table, not the interpreter's Unicode version: equal input must give equal bytes on
# every Python. C0 and C1 controls but tab and line feed; soft hyphen; joiner; Arabic letter mark;
# Mongolian vowel separator; zero-width and bidirectional controls; line and paragraph
# separators; invisible operators; format controls of scripts; byte order mark; interlinear
# annotations; tags and variation selectors (one of the two that emoji use stands alone behind a
# sign and is kept; a row of them hides a text). Surrogates stand for bytes that are not UTF-8 and
# become U+FFFD.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ufe00-\ufe0d]|(?<=[\ufe00-\ufe0f])[\ufe0e\ufe0f]"
)
# What the runner takes for a command: a line that begins with `::` after white space, and, in an
# older form, `##[` anywhere. It compares by culture, so characters without weight, such as
# variation selectors, may stand between; it ends lines at a lone carriage return, too.
# https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
_WEIGHTLESS = r"[^\w\s!-~]*"
_COMMAND = re.compile(rf"^(\W*?):(?={_WEIGHTLESS}:)")
_OLD_COMMAND = re.compile(rf"(#{_WEIGHTLESS}#{_WEIGHTLESS})(?=\[)")
_KIND = re.compile(r"[a-z][a-z-]*")
_SURROGATE = re.compile("[\ud800-\udfff]")

# By code point, not by the interpreter's classes: equal input must give equal bytes everywhere.
# Beyond ASCII all but the spaces; `visible` took away what cannot be seen.
_PLAIN = re.compile(
    r"[A-Za-z0-9/._+@~#=%\[\]{}!$&*?^|\-\u00a1-\u167f\u1681-\u1fff\u2010-\u2fff\u3001-\U0010ffff]+"
)


def visible(text: str) -> str:
    r"""The text with control, bidirectional and zero-width characters written out.

    U+202E becomes the eight characters `\u{202e}`; tab and line feed stay; a byte that was
    not UTF-8 (a surrogate escape) becomes U+FFFD.
    """
    return _SURROGATE.sub("\ufffd", _HIDDEN.sub(lambda m: f"\\u{{{ord(m[0]):x}}}", text))


def visible_line(text: str) -> str:
    r"""The same for text that must stay on one line: tab and line feed are written out too."""
    return visible(text).replace("\n", "\\u{a}").replace("\t", "\\u{9}")


def commandless(text: str) -> str:
    """Text in whose lines GitHub's runner finds no command, the same to a reader; hidden
    characters, a lone carriage return among them, are for the caller to make visible."""
    lines = text.split("\n")
    return "\n".join(_OLD_COMMAND.sub(r"\1 ", _COMMAND.sub(r"\1: ", line)) for line in lines)


def quoted_path(path: str) -> str:
    """A path on one line with its hidden characters visible, in backquotes where it could be
    misread; no backquote inside, so that no name can end its own quotes and go on in our voice.
    """
    shown = visible_line(path)
    return shown if _PLAIN.fullmatch(shown) else f"`{shown.replace('`', chr(92) + 'u{60}')}`"


def fence(kind: str, text: str) -> str:
    """Untrusted text between two lines that carry the hash of what they enclose.

    No text can hold its own hash, so none can close its fence; equal text gives an equal
    fence. `kind` is a word of ours. Hidden characters are for the caller to make visible.
    """
    assert _KIND.fullmatch(kind)
    body = text.removesuffix("\n")
    mark = hashlib.sha256(body.encode()).hexdigest()[:16]
    inside = f"{body}\n" if body else ""
    return f"<<<{kind} {mark}\n{inside}{mark} {kind}>>>"
