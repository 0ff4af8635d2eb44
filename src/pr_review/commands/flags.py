"""The command line: what a stranger reads with `--help`, and flags by the settings' names."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

from pr_review import __version__
from pr_review.commands.parsers import COMMANDS
from pr_review.errors import ConfigurationError, nearest
from pr_review.settings import NAMES, NOT_A_FLAG, Layer

_HELP = """\
usage: pr-review COMMAND [flags]

Reviews a change with LLM agents and accounts for every line they saw.

{commands}

Examples:
  pr-review local --worktree --model none
  pr-review local --base origin/main --model anthropic/claude-sonnet-4-5
  pr-review snapshot --base origin/main --format html --out snapshot.html
  pr-review explain src/app.py:42 --base origin/main

COMMAND --help lists the flags that people use, COMMAND --help-all all of them.
Inside GitHub Actions, without a command, it reviews the event's pull request.

Exit codes: 0 done, 2 configuration, 3 event, 4 GitHub, 5 snapshot, 6 model,
7 publishing, 10 a finding at or above fail-on, 11 fail-on-partial or
fail-on-refused, 1 a bug. --version prints the release.
"""


class _Parser(argparse.ArgumentParser):
    """Reports wrong use as a configuration error, like any other bad input."""

    def error(self, message: str) -> NoReturn:
        words = re.sub("^argument (?=--)", "flag ", message)
        raise ConfigurationError(words, remedy=f"see {self.prog} --help")


class _Root(_Parser):
    """The command without a subcommand: its help fits one screen."""

    def format_help(self) -> str:
        rows = (f"  {name:<10}{words}" for name, (words, _) in COMMANDS.items())
        return _HELP.format(commands="\n".join(rows))


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command and its arguments; `command` is None for the action."""
    parser = _Root(prog="pr-review", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"pr-review {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    everything = "--help-all" in arguments
    for name, (words, build) in COMMANDS.items():
        command = commands.add_parser(name, help=words, allow_abbrev=False)
        command.usage = f"%(prog)s{' PATH[:LINE]' if name == 'explain' else ''} [flags]"
        command.add_argument("--help-all", action="help", help="list every setting, too")
        build(command, everything=everything)
    parsed, unknown = parser.parse_known_args(list(_joined(arguments)))
    if unknown:
        raise _unknown(unknown[0], parsed)
    return parsed


def _joined(arguments: Sequence[str]) -> Iterator[str]:
    """`--checks -skipped-test` as one argument: argparse would take the second for a flag."""
    rest = iter(arguments)
    for argument in rest:
        value = next(rest, None) if argument == "--checks" else None
        if value and re.match("-[a-z]", value):
            yield f"{argument}={value}"
        else:
            yield from (argument, value) if value is not None else (argument,)


def _unknown(argument: str, parsed: argparse.Namespace) -> ConfigurationError:
    """Names a flag, never its value: somebody may have put a key there."""
    called = f"pr-review {parsed.command or ''}".strip()
    name = argument.partition("=")[0].removeprefix("--")
    if not argument.startswith("-"):
        return ConfigurationError("there is an argument too many", remedy=f"see {called} --help")
    if not argument.startswith("--"):
        return ConfigurationError(
            "flags are whole words behind two hyphens", remedy=f"see {called} --help"
        )
    if name in NOT_A_FLAG:
        return ConfigurationError(
            f"--{name} is no flag: every process of the machine could read it",
            remedy="set the provider's own variable, such as OPENAI_API_KEY",
        )
    known = [flag.replace("_", "-") for flag in vars(parsed) if flag not in ("command", "place")]
    near = nearest(name, known)
    so = f"; the nearest is --{near}" if near else ""
    every = "--help-all" if parsed.command else "--help"
    return ConfigurationError(
        f"there is no flag --{name[:40]} here{so}", remedy=f"see {called} {every}"
    )


def layer(parsed: argparse.Namespace) -> Layer:
    """The settings that were given as flags."""
    given = {name: getattr(parsed, name.replace("-", "_"), None) for name in NAMES}
    return Layer("flag --", {name: value for name, value in given.items() if value is not None})
