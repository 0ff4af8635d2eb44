"""What a snapshot costs, and that its cost grows with the bytes alone.

Run as `python -m bench.snapshot`. Two tables, in CPU seconds of this process beyond loading
tokenizer and scanner; what git does in processes of its own is not counted.

The first is for generated changes of 10 KB to 8 MB of source in three languages: reading the
patch, preparing, fitting, then MB per second of all three, how much longer a byte takes than
in the smallest change (about 1 where time is linear), and the most memory the process held.

The second, where `../shared/corpus` is there, is for real pull requests: median and largest.
"""

# ruff: noqa: T201 - a benchmark speaks to the one who runs it

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from pr_review.adapters.git import LocalSource
from pr_review.adapters.secrets import Kingfisher
from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.domain.diff import Change
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Tools, prepare
from tests.snapshot.repository import Blob, make

_SIZES = (10_000, 100_000, 1_000_000, 8_000_000)
_AT_LEAST = 0.3
_PROCESSES = 2
_CORPUS = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"
_PASSED = {"PATH": os.environ["PATH"]}
# Of a file: functions, and how many of four are changed.
_FUNCTIONS, _CHANGED = 30, 3

_PYTHON = (
    "from lib.part_{f} import load_{f}, save_{f}\n\n\n",
    '''def handler_{n}(request, settings, *, retries=3):
    """Answers request {n}; raises `TimeoutError` when it takes too long."""
    limit_{n} = settings.limit + {k}
    for attempt in range(retries):
        response = load_{f}(request.page, limit_{n})
        if response.status == {k} and response.body:
            return save_{f}(response.body, limit_{n})
    raise TimeoutError("no answer of {k}")


''',
)
_TYPESCRIPT = (
    'import {{ load{f}, save{f} }} from "./part_{f}";\n\n',
    """export async function handler{n}(request: Request, settings: Settings): Promise<Item> {{
  const limit{n} = settings.limit + {k};
  for (const page of request.pages) {{
    const found = await load{f}(page, limit{n});
    if (found.status === {k} && found.items.length > 0) {{
      return save{f}(found.items, limit{n});
    }}
  }}
  throw new Error("no answer of {k}");
}}

""",
)
_GO = (
    "package part{f}\n\n",
    """// Handler{n} answers one request.
func Handler{n}(request *Request, settings Settings) (Item, error) {{
	limit{n} := settings.Limit + {k}
	for _, page := range request.Pages {{
		found, err := load{f}(page, limit{n})
		if err != nil || found.Status == {k} {{
			return Item{{}}, fmt.Errorf("page %d of {k}: %w", page, err)
		}}
	}}
	return save{f}(limit{n}), nil
}}

""",
)
_LANGUAGES = {"py": _PYTHON, "ts": _TYPESCRIPT, "go": _GO}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds by part, of a change of so many bytes of patch; `peak` in MB."""

    raw_bytes: int
    read: float
    prepare: float
    fit: float
    peak: float

    @property
    def seconds(self) -> float:
        return self.read + self.prepare + self.fit


def generated(size: int) -> tuple[dict[bytes, Blob | None], dict[bytes, Blob | None]]:
    """Two trees whose diff has about `size` bytes: most functions of every file change."""
    chance = random.Random(7)  # noqa: S311 - the same change in every run
    base: dict[bytes, Blob | None] = {}
    head: dict[bytes, Blob | None] = {}
    total = number = 0
    while total < size:
        suffix = list(_LANGUAGES)[number % len(_LANGUAGES)]
        first, function = _LANGUAGES[suffix]
        old = new = first.format(f=number)
        for n in range(_FUNCTIONS):
            k = chance.randrange(1_000)
            before = function.format(f=number, n=n, k=k)
            after = function.format(f=number, n=n, k=k + (chance.randrange(4) < _CHANGED) * 1_000)
            old, new = old + before, new + after
            # A changed line stands on both sides, and brings context.
            total += len(before) * 8 // 5 if before != after else 0
            if total >= size:
                break
        path = f"src/area_{number % 40}/part_{number}.{suffix}".encode()
        base[path], head[path] = Blob(old.encode()), Blob(new.encode())
        number += 1
    return base, head


def measured(open_source: Callable[[], LocalSource], at_least: float = _AT_LEAST) -> Cost:
    """The cost of one snapshot, the best of as many as fit into `at_least` seconds."""
    scanner, counter = Kingfisher(), token_counter()
    scanner.scan(["the first scan loads the rules"])
    counter.count("the first count loads the encoding")
    best: Cost | None = None
    spent = 0.0
    while best is None or spent < at_least:
        with open_source() as source:
            cost = _once(source, scanner)
        spent += cost.seconds
        best = cost if best is None or cost.seconds < best.seconds else best
    return best


def _once(source: LocalSource, scanner: Kingfisher) -> Cost:
    policy = SnapshotPolicy()
    change, read = _timed(source.change)
    ready, made = _timed(lambda: prepare(change, policy, Tools(source, TreeSitter(), scanner)))
    _, fitted = _timed(lambda: fit(ready, policy, token_counter()))
    return Cost(_size(change), read, made, fitted, _peak())


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.process_time()
    done = work()
    return done, time.process_time() - start


def _size(change: Change) -> int:
    return max(change.raw_bytes, 1)


def _peak() -> float:
    """The most memory that this process ever held, in MB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1_000


def _generated_cost(size: int) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        repo = make(Path(folder) / "repo.git", *generated(size))
        return measured(
            lambda: LocalSource(
                repo.folder, base="base", head="head", max_bytes=10**9, passed=_PASSED
            )
        )


def _by_size() -> None:
    print(f"{'patch':>10}  {'read':>6} {'prepare':>7} {'fit':>6}  MB/s growth  peak MB")
    first = 0.0
    for size in _SIZES:
        # A process each: the peak is its own.
        command = [sys.executable, "-m", "bench.snapshot", str(size)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        cost = Cost(**json.loads(done.stdout))
        per_byte = cost.seconds / cost.raw_bytes
        first = first or per_byte
        print(
            f"{cost.raw_bytes:>10,}  {cost.read:6.3f} {cost.prepare:7.3f} {cost.fit:6.3f}"
            f" {1e-6 / per_byte:5.2f} {per_byte / first:6.2f} {cost.peak:8.0f}"
        )


def _pull_requests() -> Mapping[str, Sequence[Mapping[str, str]]]:
    """Those of the corpus by their bundle."""
    found: dict[str, list[Mapping[str, str]]] = {}
    for pull in json.loads((_CORPUS / "prs.json").read_text(encoding="utf-8")):
        found.setdefault(pull["bundle"], []).append(pull)
    return found


def _corpus_costs(job: tuple[str, Sequence[Mapping[str, str]]]) -> list[tuple[str, Cost]]:
    """The cost of every pull request of one bundle."""
    bundle, pulls = job
    with tempfile.TemporaryDirectory() as folder:
        git = ["git", "-C", folder]
        subprocess.run([*git, "init", "-q", "--bare"], check=True)
        subprocess.run([*git, "fetch", "-q", str(_CORPUS / bundle), "refs/*:refs/*"], check=True)
        return [(pull["id"], _pull_cost(Path(folder), pull)) for pull in pulls]


def _pull_cost(repo: Path, pull: Mapping[str, str]) -> Cost:
    return measured(
        lambda: LocalSource(
            repo, base=pull["base"], head=pull["head"], max_bytes=10**9, passed=_PASSED
        ),
        at_least=0,
    )


def _by_pull_request() -> Iterator[tuple[str, Cost]]:
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as pool:
        for costs in pool.map(_corpus_costs, _pull_requests().items()):
            yield from costs


def _real() -> None:
    costs = sorted(_by_pull_request(), key=lambda item: item[1].seconds)
    seconds = [cost.seconds for _, cost in costs]
    print(f"\n{len(costs)} pull requests: median {statistics.median(seconds):.2f} s", end="")
    print(f", largest {seconds[-1]:.2f} s, most memory {max(c.peak for _, c in costs):.0f} MB")
    for name, cost in reversed(costs[-5:]):
        print(
            f"{name:40} {cost.raw_bytes:>10,} {cost.read:6.2f} {cost.prepare:6.2f} {cost.fit:6.2f}"
        )


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(asdict(_generated_cost(int(sys.argv[1])))))
        return
    _by_size()
    if _CORPUS.is_dir():
        _real()


if __name__ == "__main__":
    main()
