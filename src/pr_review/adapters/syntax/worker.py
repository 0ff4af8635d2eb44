"""The process that parses: it reads questions and answers them until its input ends."""

from __future__ import annotations

import resource
import sys

from pr_review.adapters.syntax.faults import faults
from pr_review.adapters.syntax.reader import read
from pr_review.adapters.syntax.wire import answer, count, read_question

# A parse of 512 KiB of ordinary source takes a tenth of it; where a grammar is ambiguous,
# tree-sitter's own memory grows with the square of the input, in one step, and 8 KB take 2 GB.
MAX_MEMORY = 1 << 30
# Far more than all files of a change take: nothing that this process does may go on for ever.
_MAX_CPU_SECONDS = 300


def main() -> None:
    """Ends by itself when the parent does: its input ends. An argument lowers its memory."""
    memory = min([MAX_MEMORY, *map(int, sys.argv[1:])])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (_MAX_CPU_SECONDS, _MAX_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while (asked := read_question(sys.stdin.buffer)) is not None:
        path, text, used = asked
        try:
            told = count(faults(path, text)) if used is None else answer(read(path, text, used))
        except MemoryError:
            told = answer("too much memory to parse")
        sys.stdout.buffer.write(told)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
