"""`pr-review explain` as somebody types it: what it prints, and what it refuses."""

from __future__ import annotations

import re
import shlex
from itertools import takewhile
from pathlib import Path

import pytest

from pr_review import app
from tests.contract import documents
from tests.snapshot.explained import LIMITS, PLANTED, repository
from tests.snapshot.repository import ENVIRON, Blob, Files, make, snapshot

SOURCE = ("--base", "base", "--head", "head")


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    return Ask(capsys)


class Ask:
    """Runs the command and keeps what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str, repo: Path | None = None) -> list[str]:
        """The lines that it prints; all limits are those of the sample unless `repo` is given."""
        where = ["--repo", str(repo or repository()), *SOURCE]
        limits = () if repo else LIMITS
        code = app.main(["explain", *where, *limits, *arguments], ENVIRON)
        printed = self._capsys.readouterr()
        assert (code, printed.err) == (0, ""), printed.err
        return printed.out.removesuffix("\n").split("\n")

    def refused(self, *arguments: str) -> str:
        """The one line on standard error of a run that ends with exit code 2."""
        code = app.main(["explain", *arguments], ENVIRON)
        printed = self._capsys.readouterr()
        assert (code, printed.out) == (2, "")
        [line] = printed.err.removesuffix("\n").split("\n")
        return line


def _fact(lines: list[str], label: str) -> str:
    """The text behind a label, its rows joined."""
    start = next(i for i, line in enumerate(lines) if line.startswith(f"  {label:11}"))
    more = takewhile(lambda line: line.startswith(" " * 13), lines[start + 1 :])
    return " ".join([lines[start][13:], *(line.strip() for line in more)])


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> int:
    """A line of src/more.py that is over the budget."""
    told = snapshot(repository(), tmp_path_factory.mktemp("over") / "out.json", *LIMITS)
    file = next(f for f in told["files"] if f["path"] == "src/more.py")
    lines = set(file["added_lines"]) - set(file["shown_added_lines"])
    return int(max(lines))


def test_a_line_over_budget(ask: Ask, tmp_path: Path, over: int) -> None:
    """The answer comes first, and the setting that is named shows the line."""
    lines = ask(f"src/more.py:{over}")
    assert lines[0] == f"src/more.py:{over} is not shown: over the token budget"
    assert _fact(lines, "stage") == "truncate"
    assert _fact(lines, "file").startswith("partial, tier source: ")
    assert re.match(r"lines \d+-\d+: number \d+; the first \d+ of ", _fact(lines, "piece"))
    assert re.match(r"[\d.]+ \(\d+: 0.4, .*\) in \d+ tokens$", _fact(lines, "value"))
    budget, after = _fact(lines, "to show it").removeprefix("--diff-token-budget ").split(" ", 1)
    fails, passes = after.split(", or --max-passes ")
    assert fails == f"(smallest found: not with {int(budget) - 100})"
    line = re.compile(rf'^{over} \+? *"sentence {over - 1} of many"', re.MULTILINE)
    for flags in (("--diff-token-budget", budget), ("--max-passes", passes)):
        assert line.search(snapshot(repository(), tmp_path / "a", *LIMITS, *flags)["text"])


def test_the_pass_of_a_line_and_of_a_file(ask: Ask, tmp_path: Path, over: int) -> None:
    told = snapshot(repository(), tmp_path / "out.json", *LIMITS, "--max-passes", "4")
    file = next(f for f in told["files"] if f["path"] == "src/more.py")
    [number] = file["passes"]
    lines = ask(f"src/more.py:{over}", "--max-passes", "4")
    assert lines[0] == f"src/more.py:{over} is shown: it is an added line"
    assert _fact(lines, "pass") == str(number)
    assert _fact(lines, "snapshot").endswith(f"{told['passes']} passes of up to 3,600")
    assert _fact(ask("src/more.py", "--max-passes", "4"), "pass") == str(number)


def test_the_page_shows_what_is_printed(ask: Ask, over: int) -> None:
    """Its example is of a line over budget, too: the same sentence and labels, other numbers."""
    section = documents.text("docs/local.md").partition("$ pr-review explain src/cart.py:348 --b")[
        2
    ]
    example = (
        section.partition("$ pr-review explain")[2].partition("```")[0].strip().split("\n")[1:]
    )
    printed = ask(f"src/more.py:{over}")
    assert example[0].partition(" ")[2] == printed[0].partition(" ")[2]
    labels = [line[2:12].strip() for line in printed[1:] if line[2] != " "]
    assert [line[2:12].strip() for line in example[1:]] == labels


@pytest.mark.parametrize(
    ("place", "head"),
    [
        ("src/large.py:1", "src/large.py:1 is shown: it is an added line"),
        ("src/large.py:250", "src/large.py:250 is not shown: over the size cap of one file"),
        ("src/key.py:2", "src/key.py:2 is shown in part: holds a credential"),
        ("src/long.py:10", "src/long.py:10 is shown in part: lines over 2,000 bytes are cut"),
        ("notes/plan.txt:1", "notes/plan.txt:1 is not shown: excluded by settings"),
        ("src/nul.py:1", "src/nul.py:1 is not shown: binary, not readable as text"),
        ("gone.py:-1", "gone.py:-1 is not shown: over the token budget"),
        ("src/app.py:21", "src/app.py:21 is shown as context: next to a change, for line 20"),
        ("src/app.py:200", "src/app.py:200 is not shown: unchanged"),
        ("src/app.py:-21", "src/app.py:-21 did not change, and as src/app.py:21 it is shown"),
        ("before.py:-1", "after.py:-1 did not change, and as after.py:1 it is not shown"),
        ("lib/tools.py:1", "lib/tools.py:1 is shown as context: definition of `helper_0`"),
        ("lib/tools.py:19", "lib/tools.py:19 is not shown: unchanged, and no rule reaches it"),
        ("src/long.py", "src/long.py is shown in part, 19 of 20 lines: lines over 2,000"),
        ("logo.png", "logo.png is "),
        ("./yarn.lock", "yarn.lock is not shown: over the token budget"),
    ],
)
def test_the_first_line_is_the_answer(ask: Ask, place: str, head: str) -> None:
    lines = ask(place)
    assert lines[0].startswith(head)
    assert len(lines) <= 24, "a screen"
    assert all(len(line) <= 100 for line in lines[1:])
    assert PLANTED not in "\n".join(lines)


def test_a_dry_word_where_no_setting_helps(ask: Ask) -> None:
    assert "git takes it for binary" in _fact(ask("src/nul.py:1"), "to show it")
    assert _fact(ask("src/key.py:2"), "to show it").startswith("--screening off would send it")
    refused = _fact(ask("src/key.py:1", "--screening", "refuse"), "refused")
    assert "screening: refuse is set" in refused
    assert _fact(ask("src/long.py:10"), "to show it") == "no setting shows the rest of it"


@pytest.mark.parametrize(
    ("flags", "place", "remedy"),
    [
        ((), "src/app.py:185", ""),
        (("--no-dynamic-context",), "src/app.py:202", "--dynamic-context"),
        (("--context-lines-before", "0"), "src/app.py:228", "--context-lines-before 2 (smallest"),
        ((), "src/app.py:240", "--context-lines-after 4 (smallest found: not with 3)"),
        ((), "src/app.py:220", "--context-lines-before 10 (smallest found: not with 9)"),
        (("--max-scope-lines", "10"), "src/app.py:173", "--context-lines-before 9 (smallest"),
        ((), "docs/manual.md:15", "--context-skip-suffixes .txt"),
        (("--max-context-bytes", "0"), "src/app.py:202", "--max-context-bytes "),
    ],
)
def test_context_is_a_matter_of_settings(
    ask: Ask, tmp_path: Path, flags: tuple[str, ...], place: str, remedy: str
) -> None:
    """With room for all, one setting of context is what shows a line of context."""
    roomy = ("--diff-token-budget", "50000", "--max-file-bytes", "50000", *flags)
    lines = ask(place, *roomy)
    if not remedy:
        assert "is shown" in lines[0]
        return
    assert "is not shown: unchanged" in lines[0]
    found = _fact(lines, "to show it")
    assert found.startswith(remedy)
    path, _, number = place.partition(":")
    for flag, seen in ((shlex.split(found.partition(" (")[0]), True), ([], False)):
        told = snapshot(repository(), tmp_path / "out.json", *LIMITS, *roomy, *flag)
        context = next(f for f in told["files"] if f["path"] == path)["context_lines"]
        assert (int(number) in context) is seen


def test_a_file(ask: Ask) -> None:
    lines = ask("src/large.py")
    assert lines[0].startswith("src/large.py is shown in part, ")
    assert _fact(lines, "tier") == "source: no rule takes its path for anything but code"
    assert re.search(r"config 0/1, code \d/8 \(this one\)", _fact(lines, "loss order"))
    assert _fact(lines, "shown").startswith("+ 1-")
    assert _fact(lines, "omitted").startswith("+ ")
    assert "over max-file-bytes (4,000)" in _fact(lines, "bytes")
    assert "--max-file-bytes" in _fact(lines, "to show it")


def test_equal_questions_have_equal_answers(ask: Ask) -> None:
    assert ask("src/more.py") == ask("src/more.py")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("src/ap.py",), "there is no src/ap.py in the change or at its head, the nearest"),
        (("src/ap.py:3",), "the nearest changed path is src/app.py"),
        (("app.py",), "the nearest changed path is src/app.py"),
        (("README.md",), "there is no README.md in the change or at its head (give PATH, PATH:"),
        (("src/app.py:90000",), "src/app.py has 264 lines, there is no line 90,000"),
        (("src/app.py:0",), "src/app.py has 264 lines, there is no line 0"),
        (("src/app.py:x",), "there is no `src/app.py:x` in the change"),
        (("src/app.py:999999999999",), "there is no `src/app.py:999999999999` in the change"),
        (("gone.py:1",), "gone.py is deleted"),
        (("gone.py:-3",), "gone.py has 2 lines, there is no line 3"),
        (("lib/tools.py",), "lib/tools.py is not changed"),
        (("lib/tools.py:-1",), "lib/tools.py is not changed"),
        (("src/app.py:19", "--needs", "src/app.py"), "--needs takes a line of the head"),
        (("src/a\u202eb.py",), "there is no `src/a\\u{202e}b.py` in the change"),
        ((), "the following arguments are required"),
    ],
)
def test_what_is_not_there(ask: Ask, arguments: tuple[str, ...], words: str) -> None:
    flags = ["--repo", str(repository()), *SOURCE]
    assert words in ask.refused(*arguments, *flags)


def test_a_patch(ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    patch = tmp_path / "a.patch"
    patch.write_text(
        "--- a/src/a.py\n+++ b/src/a.py\n@@ -10,3 +10,3 @@\n one\n-two\n+2\n three\n", "utf-8"
    )
    for place, head in (
        ("src/a.py:11", "src/a.py:11 is shown: it is an added line"),
        ("src/a.py:-11", "src/a.py:-11 is shown: it is a removed line"),
        ("src/a.py:12", "src/a.py:12 is shown as context"),
        ("src/a.py:40", "src/a.py:40 is not shown: unchanged, and no rule reaches it"),
    ):
        assert app.main(["explain", place, "--patch", str(patch)], ENVIRON) == 0
        assert capsys.readouterr().out.startswith(head)
    assert "exclude each other" in ask.refused("src/a.py", "--patch", str(patch), "--base", "x")


def test_a_diff_over_its_cap(ask: Ask) -> None:
    lines = ask("src/large.py:3", "--max-diff-bytes", "9000")
    assert lines[0] == "src/large.py:3 is not shown: the diff is over its size cap"
    assert _fact(lines, "refused").startswith("a review of this change would not run")
    size = int(_fact(lines, "to show it").split()[1])
    assert _fact(lines, "to show it").startswith(f"--max-diff-bytes {size} (")
    assert "is shown" in ask("src/large.py:3", "--max-diff-bytes", str(size))[0]
    assert "is not shown" in ask("src/large.py:3", "--max-diff-bytes", str(size - 1))[0]


HOSTILE = (b"new\nline.py", b"bidi\xe2\x80\xae.py", b"a:7", b"bad\xff.py", b"-x.py", b"a`b.py")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_on_one_line(ask: Ask, tmp_path: Path, name: bytes) -> None:
    line = Blob(b"x = 1\n")
    repo = make(tmp_path / "repo.git", {b"keep": line}, {name: line, b"a": line}).folder
    path = name.decode("utf-8", "surrogateescape")
    for place in (path, f"{path}:1"):
        head, *facts = ask("--", place, repo=repo)
        assert " is shown: " in head
        assert facts[-1].startswith("  snapshot ")
        assert not set("\n\u202e\udcff") & set(head)


def test_a_name_with_a_credential_is_not_printed(ask: Ask, tmp_path: Path) -> None:
    name = f"src/{PLANTED}.py"
    files: Files = {name.encode(): Blob(b"x = 1\n"), b"src/b.py": Blob(b"y = 1\n")}
    repo = make(tmp_path / "repo.git", {b"keep": Blob(b"x")}, files).folder
    for place in (name, f"{name}:1"):
        lines = ask(place, repo=repo)
        assert " is shown: " in lines[0]
        assert PLANTED not in "\n".join(lines)
    flags = ("--repo", str(repo), *SOURCE)
    assert PLANTED not in ask.refused(f"src/{PLANTED[:-1]}.py", *flags).partition("nearest")[2]


HEAD: Files = {
    b"app.py": Blob(
        b"from lib import shapes\nimport requests\n\n\ndef run(a):\n    shapes.area(a)\n"
        b"    requests.get(a)\n    a.spin()\n    return shapes.long(a)\n"
    ),
    b"test_app.py": Blob(b"from lib import shapes\n\nshapes.area(1)\n"),
    b"setup.cfg": Blob(b"[a]\nx = area\n"),
}
BASE: Files = {
    b"lib/__init__.py": Blob(b""),
    b"lib/shapes.py": Blob(
        b"def area(a):\n    return a\n\n\ndef long(a):\n"
        + b"".join(b"    step_%d = %d\n" % (n, n) for n in range(30))
        + b"    return a\n\n\ndef lonely(a):\n    return a\n"
    ),
    b"lib/spinners.py": Blob(
        b"class One:\n    def spin(self):\n        pass\n\n\n"
        b"class Two:\n    def spin(self):\n        pass\n"
    ),
    b"lib/api.py": Blob(b"def get(url):\n    return url\n"),
    b"app.py": Blob(b"from lib import shapes\n"),
}


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("shapes") / "repo.git", BASE, HEAD).folder


@pytest.mark.parametrize(
    ("place", "other", "flags", "answer"),
    [
        ("app.py:6", "lib/shapes.py:1", (), "yes, shown: definition of `area`, used by app.py:6"),
        ("app.py", "lib/shapes.py:2", (), "yes, shown: definition of `area`, used by app.py:6"),
        ("app.py:7", "lib/shapes.py:1", (),
         "yes, shown: definition of `area`, used by app.py:6, though not for app.py:7"),
        ("app.py:6", "app.py:7", (), "yes, shown: it is a changed line itself"),
        ("app.py:9", "lib/shapes.py:30", (), "no: the definition of `long` is found, but it is"),
        ("app.py:6", "lib/shapes.py:40", (), "no: no changed line uses a name defined there"),
        ("app.py:7", "lib/api.py:1", (), "no: `get` is used at line 7, but an import says"),
        ("app.py:8", "lib/spinners.py:7", (), "no: `spin` is used at line 8, but several"),
        ("test_app.py:3", "lib/shapes.py:40", (), "no: names in files of tier test are not"),
        ("setup.cfg:2", "lib/shapes.py:40", (), "no: the file was read by indentation"),
        ("lib/shapes.py:1", "lib/api.py:1", (), "no: what is asked about is no changed line"),
        (
            "app.py:6", "lib/shapes.py:1", ("--max-dependencies", "0"),
            "could be: max-dependencies is 0, so no name is looked up",
        ),
    ],
)  # fmt: skip
def test_needs(
    ask: Ask, shapes: Path, place: str, other: str, flags: tuple[str, ...], answer: str
) -> None:
    lines = ask(place, "--needs", other, *flags, repo=shapes)
    said = lines[lines.index("") + 1]
    assert said.startswith(f"{place} needs {other}? {answer}")


def test_needs_over_the_cap_of_dependencies(ask: Ask, shapes: Path, tmp_path: Path) -> None:
    lines = ask("app.py:9", "--needs", "lib/shapes.py:5", "--max-dependencies", "1", repo=shapes)
    said = lines[lines.index("") + 1 :]
    assert said[0].endswith("but 1 other came first (max-dependencies)")
    assert said[2] == "  to show it --max-dependencies 2 (smallest found: not with 1)"
    for most, is_shown in (("1", False), ("2", True)):
        told = snapshot(shapes, tmp_path / "out.json", "--max-dependencies", most)
        assert bool(re.search(r"^5 +def long\(a\):", told["text"], re.MULTILINE)) is is_shown
