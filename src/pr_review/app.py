"""The composition root: which command runs, and the one place where errors become exit codes."""

from __future__ import annotations

import importlib
import io
import sys
import traceback
from collections.abc import Mapping, Sequence

from pr_review.adapters.actions import environment
from pr_review.adapters.actions.log import Log
from pr_review.commands import flags
from pr_review.domain.text import visible_line
from pr_review.errors import (
    BUG_EXIT_CODE,
    CANCELLED_EXIT_CODE,
    ConfigurationError,
    PrReviewError,
)

_BUG = "this is a bug of pr-review, please report it with the lines above and the version"


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Runs one command and returns its exit code. Never raises but for `--help`."""
    in_actions = environment.in_actions(environ)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a character
            stream.reconfigure(errors="replace")
    try:
        return _dispatch(arguments, environ, in_actions=in_actions)
    except PrReviewError as error:
        _say(str(error), in_actions=in_actions)
        return error.exit_code
    except BrokenPipeError:
        from pr_review.commands.printing import discard  # noqa: PLC0415 - as below

        discard()
        return CANCELLED_EXIT_CODE
    except Exception as error:  # noqa: BLE001 - the last one to see it
        # Where, not what: the message of a stray exception can hold anything, keys included.
        for frame in traceback.extract_tb(error.__traceback__)[-4:]:
            sys.stderr.write(f"  {frame.name}, line {frame.lineno}\n")
        _say(f"{type(error).__name__}: {_BUG}", in_actions=in_actions)
        return BUG_EXIT_CODE


def _dispatch(arguments: Sequence[str], environ: Mapping[str, str], *, in_actions: bool) -> int:
    parsed = flags.parse(arguments)
    # each with the libraries that it needs, and no others: whoever runs one waits for them
    match parsed.command:
        case "local" | "snapshot" | "explain" | "config" | "doctor":
            command = importlib.import_module(f"pr_review.commands.{parsed.command}")
            code: int = command.run(parsed, environ)
            return code
        case _ if in_actions:
            from pr_review.commands import action  # noqa: PLC0415

            return action.start(environ, Log(sys.stdout))
        case _:
            raise ConfigurationError(
                "no command was given, and this is not GitHub Actions",
                remedy="see pr-review --help",
            )


def _say(message: str, *, in_actions: bool) -> None:
    if in_actions:
        Log(sys.stdout).error(message, title="pr-review")
    else:
        sys.stderr.write(f"pr-review: {visible_line(message)}\n")
