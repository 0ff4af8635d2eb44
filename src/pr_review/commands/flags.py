"""The command line: what a stranger reads with `--help`, and flags by the settings' names."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from pr_review import __version__
from pr_review.errors import ConfigurationError
from pr_review.settings import NAMES, NOT_A_FLAG, Layer, Settings, default

_SNAPSHOT_FLAGS = (
    "diff-token-budget",
    "max-passes",
    "max-file-bytes",
    "max-context-bytes",
    "max-dependencies",
    "context-lines-before",
    "context-lines-after",
    "dynamic-context",
    "max-scope-lines",
    "context-skip-suffixes",
    "max-diff-bytes",
    "include",
    "exclude",
    "paths",
    "screening",
)
QUOTE_FLAGS = (
    "model",
    "fallback-models",
    "agents",
    "guidelines",
    "language",
    "max-output-tokens",
    "input-cost-per-mtok",
    "output-cost-per-mtok",
    "max-cost-usd",
    "max-prompt-tokens",
    "run-deadline",
)
_ACTION_ALONE = frozenset(
    [
        "pull-request",
        "drafts",
        "bots",
        "skip-labels",
        "require-label",
        "request-changes",
        "max-cost-usd-per-pull-request",
        "report-sarif",
    ]
)
LOCAL_FLAGS = tuple(n for n in NAMES if n not in NOT_A_FLAG | _ACTION_ALONE)
_ALL_FLAGS = tuple(n for n in NAMES if n not in NOT_A_FLAG)
_FORMAT = "for people, or one JSON object (default: text)"

_EPILOG = """\
examples:
  pr-review local --model none
  pr-review local --base origin/main --model anthropic/claude-sonnet-4-5
  pr-review snapshot --base origin/main --head HEAD
  pr-review snapshot --base origin/main --format html --out snapshot.html
  pr-review snapshot --base origin/main --quote --model anthropic/claude-sonnet-4-5
  git diff main... | pr-review snapshot --patch - --format json
  pr-review explain src/app.py:42 --base origin/main

Without a command, inside GitHub Actions, it reviews the pull request of the event.
Exit codes: 0 done, 2 configuration, 3 event, 4 GitHub, 5 snapshot, 6 model, 7 publishing,
10 a finding at or above fail-on, 11 fail-on-partial or fail-on-refused, 1 a bug.
"""


class _Parser(argparse.ArgumentParser):
    """Reports wrong use as a configuration error, like any other bad input."""

    def error(self, message: str) -> NoReturn:
        raise ConfigurationError(message, remedy=f"see {self.prog} --help")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command and its arguments; `command` is None for the action."""
    parser = _Parser(
        prog="pr-review",
        description="Reviews a change with LLM agents and accounts for every line they saw.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pr-review {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _local(
        commands.add_parser(
            "local", help="review local commits and print the review", allow_abbrev=False
        )
    )
    _snapshot(
        commands.add_parser(
            "snapshot",
            help="print exactly what a model would read, offline, without a key",
            allow_abbrev=False,
        )
    )
    _explain(
        commands.add_parser(
            "explain",
            help="say why a line was shown to a model or not, and what would show it",
            allow_abbrev=False,
        )
    )
    _config(
        commands.add_parser(
            "config",
            help="print the settings that hold, and where each was set",
            allow_abbrev=False,
        )
    )
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise _unknown(unknown[0])
    return parsed


def _unknown(argument: str) -> ConfigurationError:
    """Names a flag, never its value: somebody may have put a key there."""
    name = argument.partition("=")[0].removeprefix("--")
    if not argument.startswith("--"):
        return ConfigurationError("there is an argument too many", remedy="see pr-review --help")
    if name in NOT_A_FLAG:
        return ConfigurationError(
            f"--{name} is no flag: every process of the machine could read it",
            remedy="set the provider's own variable, such as OPENAI_API_KEY",
        )
    return ConfigurationError(f"there is no flag --{name[:40]} here", remedy="see --help")


def layer(parsed: argparse.Namespace) -> Layer:
    """The settings that were given as flags."""
    given = {name: getattr(parsed, name.replace("-", "_"), None) for name in NAMES}
    return Layer("flag --", {name: value for name, value in given.items() if value is not None})


def _local(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Reviews the commits between BASE and HEAD of a clone and prints what it found. Nothing is "
        "posted. The provider's key comes from the provider's own variable (OPENAI_API_KEY, …)."
    )
    _commits(parser)
    _settings(parser, LOCAL_FLAGS)


def _snapshot(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints what a model would read of a change, and what it would not. It asks no model and "
        "needs no key and no network."
    )
    _sources(parser)
    parser.add_argument(
        "--format",
        choices=("text", "json", "html"),
        default="text",
        help="text as sent, one JSON object with the account of every changed line, or a page "
        "that shows each line with what became of it (default: text)",
    )
    parser.add_argument("--out", metavar="FILE", help="write to FILE instead of standard output")
    parser.add_argument(
        "--quote",
        action="store_true",
        help="print what a review of it by --model may cost; the snapshot goes to --out alone, "
        "or with --format json both into the object",
    )
    _settings(parser, _SNAPSHOT_FLAGS)
    _settings(parser, QUOTE_FLAGS, title="settings that go with --quote")


def _explain(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Says of a changed file, or of any line of the head, whether a model would read it, which "
        "stage decided that, and the smallest change of settings that would show it."
    )
    parser.add_argument(
        "place", metavar="PATH[:LINE]", help="PATH, PATH:LINE, or PATH:-LINE for a removed line"
    )
    _sources(parser)
    parser.add_argument(
        "--needs",
        metavar="OTHER:LINE",
        default="",
        help="could the snapshot have supplied this line for PATH:LINE, and by which stage?",
    )
    _settings(parser, _SNAPSHOT_FLAGS)


def _config(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints every setting that holds, as lines of YAML that the file would take, and whether a "
        "flag, an input, a line of the file at BASE or the default decided it. Of secrets it says "
        "whether they are set."
    )
    _clone(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help=_FORMAT)
    parser.add_argument(
        "--schema", action="store_true", help="print the JSON schema of the file instead"
    )
    _settings(parser, _ALL_FLAGS)


def _sources(parser: argparse.ArgumentParser) -> None:
    _commits(parser)
    parser.add_argument(
        "--patch", metavar="FILE", help="read a patch instead of a clone; - is standard input"
    )
    parser.add_argument(
        "--since",
        metavar="COMMIT",
        help="fold what stands as it stood at COMMIT, as a review after an earlier one does",
    )


def _commits(parser: argparse.ArgumentParser) -> None:
    _clone(parser)
    parser.add_argument("--head", metavar="REF", help="the change's last commit (default: HEAD)")


def _clone(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", metavar="DIR", help="the clone (default: this folder)")
    parser.add_argument(
        "--base",
        metavar="REF",
        help="what the change is compared with (default: origin's default branch)",
    )


def _settings(
    parser: argparse.ArgumentParser, names: Sequence[str], *, title: str = "settings"
) -> None:
    group = parser.add_argument_group(title)
    for name in names:
        field = Settings.model_fields[name.replace("-", "_")]
        value = default(name)
        text = f"{field.description} (default: {value})" if value else str(field.description)
        text = text.replace("%", "%%")
        if field.annotation is bool:
            group.add_argument(
                f"--{name}", action=argparse.BooleanOptionalAction, default=None, help=text
            )
        else:
            group.add_argument(f"--{name}", metavar="VALUE", default=None, help=text)
