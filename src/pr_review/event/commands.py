"""What people can say to the action in a comment."""

from __future__ import annotations

from enum import StrEnum

COMMAND = "/review"
_COURTESIES = frozenset({"please", "thanks"})


class Command(StrEnum):
    """A comment that the action answers: its first line, and nothing beside it."""

    REVIEW = COMMAND
    FULL = f"{COMMAND} full"
    HELP = f"{COMMAND} help"


IGNORE = f"{COMMAND} ignore"

MEANINGS = {
    Command.REVIEW.value: "reviews what is new since the last review; with `review: full`, all",
    Command.FULL.value: "reviews the whole pull request",
    Command.HELP.value: "lists these commands",
    IGNORE: "as an answer below a finding: later reviews do not repeat it",
}

UNKNOWN = (
    f"the comment asks for none of {', '.join(Command)}; {IGNORE} is an answer below a finding"
)


def is_command(body: str) -> bool:
    """Whether a comment's first line begins with `/review`, in any case. A line that is
    indented as code, quoted or fenced does not."""
    return _words(body)[:1] == [COMMAND]


def command(body: str) -> Command | None:
    """The command that a comment's first line is, courtesies left out; None if it is none."""
    said = " ".join(word for word in _words(body) if word.strip(",.!") not in _COURTESIES)
    return Command(said) if said in set(Command) else None


def help_text() -> str:
    """The answer to `/review help`, as Markdown. It is no command itself."""
    rows = [f"- `{name}` {meaning}" for name, meaning in MEANINGS.items()]
    return "\n".join(["pr-review listens to people with write access:", "", *rows])


def _words(body: str) -> list[str]:
    """The words of the first line with any; none if it is a block of code."""
    line = next((line for line in body.split("\n") if line.strip()), "")
    code = line.expandtabs(4).startswith("    ")
    return [] if code else line.lower().split()
