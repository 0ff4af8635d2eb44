"""How soon the action is at work, in units of the time that `import litellm` alone takes.

Run as `python -m bench.startup [--rounds N] [--rival COMMAND]...`; it ends with 1 if a bound is
not held. Each round times, one after the other so that a busy machine is busy for all of them:

- `import`: a Python that imports LiteLLM as a child of ours would and does nothing else
- `skip`: the action, as a runner starts it, on a pull request that is a draft
- `request`: the action on a small pull request, from its start until a stand-in of a model has
  read the first request; GitHub is a stand-in on loopback, too
- each rival: the command line, from its start to its end

A figure is the median of the rounds. Ratios are of seconds on the clock; a skipped run is also
held to its CPU seconds, children included.
"""

# ruff: noqa: T201 - a benchmark speaks to the one who runs it

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pr_review.adapters.llm.process import _LIBRARY
from tests.demo_sample import NUMBER, opened
from tests.standins.github import GitHubServer
from tests.standins.models import ModelServer, Reply, Request, answer
from tests.standins.runner import Runner, model_inputs

MOST_SKIP_CPU, MOST_REQUEST = 1.0, 1.15
ROUNDS = 5
_LIMIT = 120.0


@dataclass(frozen=True)
class Took:
    """Seconds on the clock and of CPU; the latter with all children that were waited for."""

    wall: float
    cpu: float


def timed(work: Callable[[], float | None]) -> Took:
    """What work took; on the clock up to the moment of `time.monotonic` that it returns."""
    before, begun = os.times(), time.monotonic()
    until = work() or time.monotonic()
    after = os.times()
    cpu = after.children_user - before.children_user
    return Took(until - begun, cpu + after.children_system - before.children_system)


def command(arguments: Sequence[str], environ: Mapping[str, str]) -> Took:
    """A command line that must end well."""

    def run() -> None:
        subprocess.run(arguments, env=environ, check=True, timeout=_LIMIT, capture_output=True)

    return timed(run)


def bare_import() -> Took:
    """`import litellm`, with no word to the network."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return command([sys.executable, "-c", "import litellm"], {**kept, **_LIBRARY})


@contextmanager
def job(folder: Path) -> Iterator[tuple[Runner, GitHubServer]]:
    """A job on the sample pull request."""
    with opened(folder) as github:
        yield Runner(folder / "job", github), github


def skip(folder: Path) -> Took:
    """A run that ends as soon as it has read that the pull request is a draft."""
    with job(folder) as (runner, github):
        github.open_pull(NUMBER, draft=True)
        runner.inputs = model_inputs("http://127.0.0.1:9")

        def run() -> None:
            ended = runner.run_as_process(github.event(NUMBER))
            assert ended.outputs["status"] == "skipped", ended.log

        return timed(run)


def first_request(folder: Path) -> Took:
    """A run up to its first request to the model; it goes on to its end all the same."""
    asked: list[float] = []

    def script(_: Request) -> Reply:
        asked.append(time.monotonic())
        return answer()

    with job(folder) as (runner, github), ModelServer(script) as server:
        runner.inputs = model_inputs(server.url)

        def run() -> float:
            ended = runner.run_as_process(github.event(NUMBER))
            assert ended.outputs["status"] == "reviewed", ended.log
            return asked[0]

        return timed(run)


def measure(rivals: Sequence[str], rounds: int) -> dict[str, Took]:
    """The median of each, by its name; the first round only warms what is read from disk."""
    taken: dict[str, list[Took]] = {}
    for number in range(rounds + 1):
        for name, took in _round(rivals):
            if number:
                taken.setdefault(name, []).append(took)
    return {name: _median(times) for name, times in taken.items()}


def _round(rivals: Sequence[str]) -> Iterator[tuple[str, Took]]:
    yield "import", bare_import()
    for name, work in (("skip", skip), ("request", first_request)):
        with tempfile.TemporaryDirectory(prefix="bench-startup-") as folder:
            yield name, work(Path(folder))
    for rival in rivals:
        yield rival, command(shlex.split(rival), os.environ)


def _median(times: Sequence[Took]) -> Took:
    return Took(
        statistics.median(took.wall for took in times),
        statistics.median(took.cpu for took in times),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; 1 if a bound is not held."""
    parser = argparse.ArgumentParser(prog="bench.startup")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--rival", action="append", default=[], metavar="COMMAND")
    asked = parser.parse_args(arguments)
    taken = measure(asked.rival, asked.rounds)
    unit = taken["import"].wall
    print(f"{'what':<40} {'wall s':>7} {'cpu s':>7} {'/import':>8}")
    for name, took in taken.items():
        print(f"{name:<40} {took.wall:>7.2f} {took.cpu:>7.2f} {took.wall / unit:>8.2f}")
    held = taken["skip"].cpu <= MOST_SKIP_CPU and taken["request"].wall <= MOST_REQUEST * unit
    print(
        f"a skip takes at most {MOST_SKIP_CPU} s of CPU, the first request leaves within "
        f"{MOST_REQUEST} times the import: {held}"
    )
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
