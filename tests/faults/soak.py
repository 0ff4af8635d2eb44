"""200 runs, two at a time, on a GitHub that fails at random: each pull request gets one review.

    python -m tests.faults.soak [RUNS]

What fails is decided by a fixed seed, the call and how often it was made. Every fifth pull
request is run by both workers at once. A run that ends with an error is started again, as its
owner would. Ends with 1 if a pull request has not exactly one review, or one is pending.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.matrix import TROUBLES, repository, run
from tests.standins.github import Fault, GitHubServer

RUNS = 200
SEED = 20_260_101
_SHARE = 0.12
_STARTS = 20  # one in four fails, so six in a row are to be expected
_RACED = 5


@dataclass
class Shaky(GitHubServer):
    """A stand-in of which some calls fail."""

    seen: Counter[str] = field(default_factory=Counter)
    suffered: Counter[str] = field(default_factory=Counter)

    def take_fault(self, method: str, path: str) -> Fault | None:
        call = f"{method} {path}"
        self.seen[call] += 1
        dice = random.Random(f"{SEED} {call} {self.seen[call]}")
        if dice.random() >= _SHARE:
            return None
        trouble = dice.choice(TROUBLES)
        self.suffered[trouble.name] += 1
        self.faults.clear()
        self.fault(method, "", **trouble.how)
        return self.faults.pop()


def main(runs: int = RUNS) -> int:
    """Runs the soak and says what happened."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        bare = repository(Path(folder) / "widgets.git")
        with Shaky(bare) as github:
            numbers = [n for n in range(1, runs + 1) for _ in range(1 + (n % _RACED == 0))]
            for number in set(numbers):
                github.open_pull(number)
            with ThreadPoolExecutor(2) as pool:
                jobs = [
                    pool.submit(_until_done, github, Path(folder) / f"job{index}", number)
                    for index, number in enumerate(numbers)
                ]
                starts = [job.result() for job in jobs]
            wrong = [number for number in set(numbers) if not _one_review(github, number)]
    print(f"{runs} pull requests, {len(numbers)} runs, {sum(starts)} starts")
    print(f"{sum(github.suffered.values())} faults: {dict(github.suffered.most_common())}")
    print(f"{runs - len(wrong)} with exactly one review and none pending, {len(wrong)} without")
    print(f"{time.monotonic() - begun:.0f} s")
    for number in sorted(wrong):
        print(f"pull request {number}: {[review.state for review in github.reviews(number)]}")
    return 1 if wrong or github.violations else 0


def _until_done(github: GitHubServer, root: Path, number: int) -> int:
    """Starts a run until it ends well; how often it took."""
    for start in range(1, _STARTS + 1):
        if run(github, root / str(start), number).code == 0:
            return start
    return _STARTS


def _one_review(github: GitHubServer, number: int) -> bool:
    return [review.state for review in github.reviews(number)] == ["COMMENTED"]


if __name__ == "__main__":
    sys.exit(main(*(int(argument) for argument in sys.argv[1:2])))
