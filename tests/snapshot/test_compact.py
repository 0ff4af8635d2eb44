"""Text that is added twice: what is folded, and that nothing is lost by it."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time

from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.diff import FileChange
from pr_review.snapshot.compact import LEAST_LINES, FoldedRun, compact
from tests.snapshot.listing import added, file, hunk

BLOCK = [f"total_{n} = price * {n}" for n in range(LEAST_LINES)]


def _new(path: str, texts: Sequence[str]) -> FileChange:
    return file(path, hunk("+" * len(texts), texts, old=0))


def test_the_second_of_two_equal_blocks_is_folded() -> None:
    first = _new("a.py", ["import os", *BLOCK])
    second = _new("b.py", [*BLOCK, "done = True"])
    run = FoldedRun(0, 8, "a.py", at=1, first=2, last=9)
    assert compact([first, second]) == {"b.py": (run,)}
    assert run.sources == range(1, 9)
    assert run.says("a.py") == "… +8 same as a.py:2-9"


def test_a_block_that_is_repeated_in_its_own_file_is_folded() -> None:
    (run,) = compact([_new("a.py", [*BLOCK, "x = 1", *BLOCK])])["a.py"]
    assert (run.start, run.end, run.says()) == (9, 17, "… +8 same as 1-8")


def test_the_order_given_decides_which_of_two_files_keeps_the_text() -> None:
    files = [_new("a.py", BLOCK), _new("b.py", BLOCK)]
    assert set(compact(files)) == {"b.py"}
    assert set(compact(files[::-1])) == {"a.py"}


def test_a_run_is_as_long_as_the_texts_agree() -> None:
    long = BLOCK + [f"more_{n} = {n}" for n in range(5)]
    (run,) = compact([_new("a.py", long), _new("b.py", [*long, "other = 1"])])["b.py"]
    assert (run.start, run.end) == (0, 13)


def test_seven_lines_are_too_few() -> None:
    assert not compact([_new("a.py", BLOCK[:7]), _new("b.py", BLOCK[:7])])


def test_brackets_and_blank_lines_are_alike_everywhere() -> None:
    brackets = ["}", "", "});", "{", "", "]", ")", "}", "]"]
    assert not compact([_new("a.js", brackets), _new("b.js", brackets)])


def test_white_space_counts() -> None:
    indented = [f"    {text}" for text in BLOCK]
    assert not compact([_new("a.py", BLOCK), _new("b.py", indented)])


def test_removed_and_unchanged_lines_neither_fold_nor_serve() -> None:
    files = [file("a.py", hunk("-" * 8, BLOCK)), file("b.py", hunk(" " * 8, BLOCK))]
    assert not compact([*files, _new("c.py", BLOCK)])
    assert not compact([_new("c.py", BLOCK), *files])


def test_a_line_that_may_be_cut_is_never_folded() -> None:
    wide = [*BLOCK[:4], "x" * 2_001, *BLOCK[4:]]
    assert not compact([_new("a.py", wide), _new("b.py", wide)])
    wide = [*BLOCK, "x" * 2_001, "y = 1"]
    (run,) = compact([_new("a.py", wide), _new("b.py", wide)])["b.py"]
    assert run.end == 8


def test_a_last_line_without_newline_is_never_folded() -> None:
    ends = hunk("+" * 8, BLOCK, old=0)
    last = ends.lines[-1]
    bare = type(last)(last.old, last.new, last.text, ends_without_newline=True)
    other = type(ends)(0, 0, 1, 8, "", (*ends.lines[:-1], bare))
    assert not compact([_new("a.py", BLOCK), file("b.py", other)])
    assert not compact([file("b.py", other), _new("a.py", BLOCK)])


def test_a_block_across_two_hunks_is_not_one_block() -> None:
    split = file("a.py", hunk("++++", BLOCK[:4], old=0), hunk("++++", BLOCK[4:], old=0, new=50))
    assert not compact([split, _new("b.py", BLOCK)])
    assert not compact([_new("b.py", BLOCK), split])


def test_a_source_ends_where_its_hunk_ends() -> None:
    """Hunks without context: the next one's lines have other numbers."""
    more = ["after = 1", "later = 2"]
    source = file("a.py", hunk("+" * 8, BLOCK, old=0), hunk("++", more, old=0, new=50))
    (run,) = compact([source, _new("b.py", BLOCK + more)])["b.py"]
    assert (run.end, run.first, run.last) == (8, 1, 8)


def test_equal_lines_without_end_fold_to_the_first_of_them() -> None:
    folds = compact([added("a.txt", 100, "the same line")])["a.txt"]
    assert [(r.start, r.end, r.at) for r in folds] == [
        (start, min(start + 8, 100), 0) for start in range(8, 93, 8)
    ]


TEXTS = st.lists(st.sampled_from(["alpha = 1", "beta = 2", "gamma", "}", ""]), max_size=60)
SIGNS = st.sampled_from(["+", "+", "+", "+", "+", "+", "+", "+", "-", " "])


@st.composite
def _changes(draw: st.DrawFn) -> list[FileChange]:
    """Files pasted together from a few blocks, so that much of them is equal."""
    blocks = draw(st.lists(TEXTS, min_size=1, max_size=3))
    made = []
    for number in range(draw(st.integers(1, 4))):
        texts = [x for b in draw(st.lists(st.sampled_from(blocks), max_size=4)) for x in b]
        one = draw(SIGNS)
        odd = draw(st.sets(st.integers(0, 240), max_size=3))
        signs = "".join(one if i in odd else "+" for i in range(len(texts)))
        made.append(file(f"{number}.py", hunk(signs, texts)))
    return made


@settings(max_examples=150, deadline=None)
@given(_changes())
def test_what_is_folded_can_be_rebuilt_from_what_is_printed(files: list[FileChange]) -> None:
    folds = compact(files)
    hidden = {
        path: {i for r in runs for i in range(r.start, r.end)} for path, runs in folds.items()
    }
    lines = {f.path: tuple(f.lines) for f in files}
    by_number = {
        (path, line.new): line.text
        for path, every in lines.items()
        for i, line in enumerate(every)
        if line.added and i not in hidden.get(path, ())
    }
    for path, runs in folds.items():
        assert sum(r.end - r.start for r in runs) == len(hidden[path])
        for run in runs:
            behind = lines[path][run.start : run.end]
            assert all(line.added for line in behind)
            assert len(behind) == run.last - run.first + 1 >= LEAST_LINES
            named = [by_number[run.path, n] for n in range(run.first, run.last + 1)]
            assert [line.text for line in behind] == named
            assert [lines[run.path][i].text for i in run.sources] == named
    assert compact(files) == folds


def test_the_cost_is_linear_in_the_lines() -> None:
    def seconds(count: int) -> float:
        block = ["call(first, second)"] * 40 + [f"line_{n} = {n}" for n in range(40)]
        files = [_new(f"{n}.py", block * (count // 160)) for n in range(2)]
        start = process_time()
        compact(files)
        return process_time() - start

    seconds(1_600)
    assert seconds(64_000) < 16 * max(seconds(8_000), 0.005)
