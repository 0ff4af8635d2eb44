"""Coverage-guided fuzzing of one target: `python -m tests.fuzz TARGET SECONDS [SEED [FOLDER]]`;
without arguments, the names of the targets. The seed 0 is another one each time.

Inputs that reach new code are kept in FOLDER, by default below `build/fuzz`; an input that finds a
fault is written there too, as `fault-*`, and belongs among the cases once the fault is mended.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.fuzz.targets import CASES, TARGETS, check

_LONGEST = 4_096
_SLOWEST_SECONDS = 5
_MOST_MEGABYTES = 2_048


def fuzz(target: str, seconds: str, seed: str = "0", folder: str = "build/fuzz") -> None:
    """Ends the process: with 0 after some seconds, with another code at the first fault."""
    import atheris  # type: ignore[import-untyped]

    kept = Path(folder) / target
    kept.mkdir(parents=True, exist_ok=True)
    with atheris.instrument_imports(include=[f"pr_review.{part}" for part in TARGETS[target]]):
        checked = check(target)
    options = [
        f"-seed={seed}", f"-max_total_time={seconds}",
        f"-max_len={_LONGEST}", f"-timeout={_SLOWEST_SECONDS}",
        f"-rss_limit_mb={_MOST_MEGABYTES}", f"-dict={CASES / target}.dict",
        f"-artifact_prefix={kept}/fault-", "-len_control=20", "-print_final_stats=1",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(kept), str(CASES / target)], checked)
    atheris.Fuzz()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        fuzz(*sys.argv[1:])
    else:
        sys.stdout.write(" ".join(TARGETS) + "\n")
