"""`--since COMMIT`: the snapshot that a review after an earlier one made, rebuilt and explained."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pr_review import app
from tests.snapshot.repository import ENVIRON, Blob, Repo, command, make, shown_rows

# src/app.py: the start was reviewed before, its end is new; src/lib.py was reviewed whole.
LINES = [b"line_%d = %d\n" % (n, n) for n in range(1, 101)]
BASE = {b"src/app.py": Blob(b"".join(LINES)), b"src/lib.py": Blob(b"".join(LINES))}
THEN = {
    b"src/app.py": Blob(b"".join([*LINES[:9], b"first = call(one)\n", *LINES[10:]])),
    b"src/lib.py": Blob(b"".join([*LINES[:49], *LINES[52:]])),
}
HEAD = {
    b"src/app.py": Blob(
        b"".join([*LINES[:9], b"first = call(one)\n", *LINES[10:89], b"second = call(two)\n"])
        + b"".join(LINES[90:])
    ),
    b"src/lib.py": THEN[b"src/lib.py"],
    b"src/new.py": Blob(b"".join(b"value_%d = compute(%d)\n" % (n, n) for n in range(200))),
}
SOURCE = ("--base", "base", "--head", "head")


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return make(tmp_path_factory.mktemp("since") / "repo.git", BASE, HEAD, then=THEN)


def ask(capsys: pytest.CaptureFixture[str], repo: Repo, *arguments: str) -> list[str]:
    where = ["--repo", str(repo.folder), *SOURCE]
    code = app.main(["explain", *where, *arguments], ENVIRON)
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    return out.removesuffix("\n").split("\n")


def fact(lines: list[str], label: str) -> str:
    """The text behind a label, its rows joined."""
    text = "\n".join(lines)
    [found] = re.findall(rf"^  {label:11}(.*(?:\n {{13}}.*)*)", text, re.MULTILINE)
    return re.sub(r"\n *", " ", found)


def test_any_name_of_the_commit_rebuilds_one_digest(repo: Repo, tmp_path: Path) -> None:
    full = repo.object("then")
    flags = ("--repo", str(repo.folder), *SOURCE)
    found = [command(tmp_path / "o", *flags, "--since", n) for n in ("then", full, full[:9])]
    assert found[0] == found[1] == found[2]
    assert found[0]["since"] == full
    assert found[0]["digest"] != command(tmp_path / "o", *flags)["digest"]
    assert full[:12] in found[0]["text"]
    files = {file["path"]: file for file in found[0]["files"]}
    app_py = files["src/app.py"]
    assert (app_py["state"], app_py["reason"]) == ("folded", "reviewed")
    assert (app_py["shown_added_lines"], app_py["folded_added_lines"]) == ([90], [10])
    assert (app_py["shown_removed_lines"], app_py["folded_removed_lines"]) == ([90], [10])
    assert files["src/lib.py"]["folded_removed_lines"] == [50, 51, 52]
    assert files["src/new.py"]["state"] == "shown"
    assert found[0]["coverage"] == found[0]["coverage_source"] == "full"
    assert {"name": "reviewed", "changed": "5 lines read at " + full[:12]} in found[0]["stages"]


def test_the_page_tells_how_to_rebuild_it(repo: Repo, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    flags = ["--repo", str(repo.folder), *SOURCE, "--since", "then", "--format", "html"]
    assert app.main(["snapshot", *flags, "--out", str(out)], ENVIRON) == 0
    page = out.read_text(encoding="utf-8")
    assert f"--head HEAD --since {repo.object('then')} --diff-token-budget" in page
    assert f"reviewed before, at {repo.object('then')[:12]}" in page
    assert "first = call(one)" in page


@pytest.mark.parametrize("verb", [["snapshot"], ["explain", "src/app.py"]])
@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (["--since", "nowhere"], 5, "commit nowhere is not in "),
        (["--since", "head:src"], 5, "commit head:src is not in "),
        (["--since", "--help"], 2, "expected one argument"),
        (["--since=--all"], 5, "commit --all is not in "),
        (["--since="], 5, "is not in "),
    ],
)
def test_what_is_no_commit(
    repo: Repo, capsys: pytest.CaptureFixture[str], verb: list[str], flags: list[str],
    code: int, words: str,
) -> None:  # fmt: skip
    assert app.main([*verb, "--repo", str(repo.folder), *SOURCE, *flags], ENVIRON) == code
    out, err = capsys.readouterr()
    assert not out
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("verb", [["snapshot"], ["explain", "a.py"]])
def test_a_patch_has_no_commits(verb: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main([*verb, "--patch", "a.patch", "--since", "then"], ENVIRON) == 2
    assert "--patch and --since exclude each other" in capsys.readouterr().err


def test_it_is_no_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main(["local", "--since", "then"], ENVIRON) == 2
    assert "there is no flag --since here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("place", "head"),
    [
        ("src/app.py:10", "src/app.py:10 is folded: reviewed before, at "),
        ("src/app.py:-10", "src/app.py:-10 is folded: reviewed before, at "),
        ("src/lib.py:-51", "src/lib.py:-51 is folded: reviewed before, at "),
        ("src/app.py:8", "src/app.py:8 is not shown: unchanged, reviewed before"),
        ("src/app.py:5", "src/app.py:5 is not shown: unchanged, reviewed before"),
        ("src/lib.py:48", "src/lib.py:48 is not shown: unchanged, reviewed before"),
    ],
)
def test_a_known_line_is_folded_by_a_stage_and_shown_without_since(
    repo: Repo, capsys: pytest.CaptureFixture[str], tmp_path: Path, place: str, head: str
) -> None:
    lines = ask(capsys, repo, place, "--since", "then")
    assert lines[0].startswith(head)
    assert fact(lines, "stage") == "reviewed"
    assert fact(lines, "to show it") == "leave --since away"
    rows = shown_rows(command(tmp_path / "out", "--repo", str(repo.folder), *SOURCE)["text"])
    path, _, number = place.partition(":")
    text = LINES[abs(int(number)) - 1].decode().strip()
    row = f"-{text}" if number.startswith("-") else f"{number} "
    assert any(printed.startswith(row) for printed in rows[path])


def test_where_there_is_no_room_without_since_the_budget_is_named_too(
    repo: Repo, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tight = ("--since", "head", "--diff-token-budget", "1000")
    lines = ask(capsys, repo, "src/new.py:150", *tight)
    assert lines[0].startswith("src/new.py:150 is folded: reviewed before, at ")
    remedy = re.match(
        r"leave --since away and give (--diff-token-budget \d+) \(smallest found: not with "
        r"(?:diff-token-budget )?\d+\)$", fact(lines, "to show it"),
    )  # fmt: skip
    assert remedy
    flags = ("--repo", str(repo.folder), *SOURCE, *shlex.split(remedy[1]))
    assert "\n150 value_149" in command(tmp_path / "out", *flags)["text"]


def test_files(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    whole = ask(capsys, repo, "src/lib.py", "--since", "then")
    assert whole[0].startswith("src/lib.py is folded: reviewed before, at ")
    assert fact(whole, "folded") == "- 50-52"
    assert fact(whole, "to show it") == "leave --since away"
    part = ask(capsys, repo, "src/app.py", "--since", "then")
    assert part[0].startswith("src/app.py is shown but for 2 of 4 changed lines: reviewed before")
    assert fact(part, "shown") == "+ 90   - 90"
    assert fact(part, "to show it") == "leave --since away"
    new = ask(capsys, repo, "src/new.py", "--since", "then")
    assert new[0] == "src/new.py is shown: all 200 changed lines"


def test_a_known_place_that_is_needed_could_be_shown(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ask(capsys, repo, "src/app.py:90", "--needs", "src/app.py:10", "--since", "then")
    [said] = [line for line in lines if "needs" in line]
    assert said == (
        "src/app.py:90 needs src/app.py:10? could be: it is a changed line itself, "
        "but reviewed before"
    )
    assert [line for line in lines if line.startswith("  to show it")] == [
        "  to show it leave --since away"
    ]
    near = ask(capsys, repo, "src/app.py:90", "--needs", "src/app.py:8", "--since", "then")
    assert any(
        line.endswith("could be: an earlier review read the change around it") for line in near
    )
