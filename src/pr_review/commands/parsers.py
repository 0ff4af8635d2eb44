"""The flags of each command, and which of them its help lists."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Protocol

from pr_review.settings import NAMES, NOT_A_FLAG, Settings, default

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
    "verify",
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
        "report-html",
    ]
)
LOCAL_FLAGS = tuple(n for n in NAMES if n not in NOT_A_FLAG | _ACTION_ALONE)
_ALL_FLAGS = tuple(n for n in NAMES if n not in NOT_A_FLAG)
_FORMAT = "for people, or one JSON object (default: text)"

# What `--help` of a command lists; the others come with `--help-all`.
_USUAL = frozenset(
    [
        "model",
        "api-base",
        "agents",
        "checks",
        "include",
        "exclude",
        "diff-token-budget",
        "verify",
        "max-cost-usd",
        "fail-on",
        "pull-request",
    ]
)


class Builder(Protocol):
    """Gives a command its flags; `everything` lists all of them in its help."""

    def __call__(self, parser: argparse.ArgumentParser, *, everything: bool) -> None: ...


def _local(parser: argparse.ArgumentParser, *, everything: bool) -> None:
    parser.description = (
        "Reviews a branch of a clone, or what is not committed in it, and prints what it found. "
        "Nothing is posted, and nothing is written into the clone. The provider's key comes from "
        "the provider's own variable (OPENAI_API_KEY, …)."
    )
    _commits(parser)
    parser.add_argument(
        "--format",
        choices=("text", "markdown", "json", "sarif", "html"),
        default="text",
        help="for a terminal, as it would be posted, for programs, or as a page (default: text)",
    )
    _out(parser)
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colour; NO_COLOR turns it off, too (default: auto, on a terminal)",
    )
    _settings(parser, LOCAL_FLAGS, everything=everything)


def _snapshot(parser: argparse.ArgumentParser, *, everything: bool) -> None:
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
    _out(parser)
    parser.add_argument(
        "--quote",
        action="store_true",
        help="print what a review of it by --model may cost; the snapshot goes to --out alone, "
        "or with --format json both into the object",
    )
    _settings(parser, _SNAPSHOT_FLAGS, everything=everything)
    _settings(parser, QUOTE_FLAGS, title="settings that go with --quote", everything=everything)


def _explain(parser: argparse.ArgumentParser, *, everything: bool) -> None:
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
    _settings(parser, _SNAPSHOT_FLAGS, everything=everything)


def _config(parser: argparse.ArgumentParser, *, everything: bool) -> None:
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
    _settings(parser, _ALL_FLAGS, everything=everything)


def _doctor(parser: argparse.ArgumentParser, *, everything: bool) -> None:
    parser.description = (
        "Looks at settings, clone, model, GitHub and runner, and says of each what works and what "
        "does not, with the remedy. Nothing of a repository is sent, and nothing is posted."
    )
    _clone(parser)
    parser.add_argument(
        "--ask", action="store_true", help="ask the model for one word too, which is billed"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help=_FORMAT)
    _settings(parser, _ALL_FLAGS, everything=everything)


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
    parser.add_argument(
        "--staged",
        action="store_true",
        help="in place of --head, what is staged; compared with HEAD unless --base is given",
    )
    parser.add_argument(
        "--worktree",
        action="store_true",
        help="in place of --head, what the files hold, untracked ones included, ignored ones not",
    )


def _out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", help="write to FILE instead of standard output")


def _clone(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", metavar="DIR", help="the clone (default: this folder)")
    parser.add_argument(
        "--base",
        metavar="REF",
        help="what the change is compared with (default: origin's default branch)",
    )


def _settings(
    parser: argparse.ArgumentParser,
    names: Sequence[str],
    *,
    everything: bool,
    title: str = "settings",
) -> None:
    group = parser.add_argument_group(title)
    for name in names:
        field = Settings.model_fields[name.replace("-", "_")]
        value = default(name)
        text = f"{field.description} (default: {value})" if value else str(field.description)
        text = text.replace("%", "%%") if everything or name in _USUAL else argparse.SUPPRESS
        if field.annotation is bool:
            group.add_argument(
                f"--{name}", action=argparse.BooleanOptionalAction, default=None, help=text
            )
        else:
            group.add_argument(f"--{name}", metavar="VALUE", default=None, help=text)


COMMANDS: dict[str, tuple[str, Builder]] = {
    "local": ("review a branch or what is not committed, and print the review", _local),
    "snapshot": ("print exactly what a model would read, offline, without a key", _snapshot),
    "explain": ("say why a line was shown to a model or not, and what would show it", _explain),
    "config": ("print the settings that hold, and where each was set", _config),
    "doctor": ("say what does not work, and what to do about it", _doctor),
}
