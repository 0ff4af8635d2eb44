"""`pr-review snapshot` in its three formats: one snapshot, told in three ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pr_review import app
from pr_review.agents.catalogue import NAMES
from pr_review.errors import ConfigurationError
from pr_review.report.json_report import schema
from tests.snapshot.repository import ENVIRON, Blob, Repo, make

PATCH = """\
diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,2 @@
 kept
-old
+new & <b>
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    base = {b"src/a.py": Blob(b"def f():\n    return 1\n")}
    head = {b"src/a.py": Blob(b"def f():\n    return 2\n"), b"x.lock": Blob(b"pin\n" * 4_000)}
    return make(tmp_path / "repo.git", base, head)


def printed(out: Path, *flags: str) -> str:
    assert app.main(["snapshot", *flags, "--out", str(out)], ENVIRON) == 0
    return out.read_text(encoding="utf-8")


def test_the_three_formats_tell_of_one_snapshot(repo: Repo, tmp_path: Path) -> None:
    flags = ["--repo", str(repo.folder), "--base", "base", "--head", "head"]
    flags += ["--diff-token-budget", "2000"]
    text, told, page = (
        printed(tmp_path / form, *flags, "--format", form) for form in ("text", "json", "html")
    )
    found = json.loads(told)
    assert found["text"] == text
    assert found["digest"] in page
    merge_base, head = (repo.git("rev-parse", name).decode()[:12] for name in ("base", "head"))
    assert f"<title>Snapshot of {merge_base} to {head}</title>" in page
    assert page.count(" X</b>+pin\n") == 4_000
    assert "4,000 omitted: over the token budget" in page
    assert "    return 2" in page


def test_a_patch_has_a_page_too(tmp_path: Path) -> None:
    patch = tmp_path / "change.patch"
    patch.write_text(PATCH, encoding="utf-8")
    page = printed(tmp_path / "page.html", "--patch", str(patch), "--format", "html")
    assert "<title>Snapshot of a patch</title>" in page
    assert "new &amp; &lt;b&gt;" in page
    assert "pr-review snapshot --patch FILE --diff-token-budget 100000" in page


def test_an_unknown_format_names_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main(["snapshot", "--format", "xml"], ENVIRON) == ConfigurationError.exit_code
    said = capsys.readouterr().err
    assert all(form in said for form in ("text", "json", "html"))


def test_a_page_that_cannot_be_written_is_said(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--repo", str(repo.folder), "--base", "base", "--head", "head", "--format", "html"]
    assert app.main(["snapshot", *flags, "--out", str(tmp_path)], ENVIRON) == 2
    assert f"cannot write {tmp_path}" in capsys.readouterr().err


def test_help_tells_the_formats(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        app.main(["snapshot", "--help"], ENVIRON)
    said = " ".join(capsys.readouterr().out.split())
    assert "--format {text,json,html}" in said
    assert "a page that shows each line with what became of it" in said
    assert "needs no key and no network" in said


QUOTE = ["--quote", "--model", "gpt-4o"]


def test_a_quote_is_printed_in_place_of_the_snapshot_which_goes_to_its_file(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--repo", str(repo.folder), "--base", "base", "--head", "head"]
    text = printed(tmp_path / "without", *flags)
    assert printed(tmp_path / "with", *flags, *QUOTE) == text
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].startswith("quote: at most $")
    assert [line.partition(":")[0] for line in lines[1:6]] == [f"agent {name}" for name in NAMES]
    assert lines[6].startswith("verify: at most $")
    assert lines[7].startswith("with room for title, description, commit messages and findings")
    assert lines[8:] == ["admitted", ""]


def test_a_quote_says_what_would_be_refused(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--repo", str(repo.folder), "--base", "base", "--head", "head", *QUOTE]
    assert app.main(["snapshot", *flags, "--max-cost-usd", "0.01"], ENVIRON) == 0
    assert "\nrefused: the run may cost $" in capsys.readouterr().out
    assert app.main(["snapshot", *flags, "--model", "nobody/knows"], ENVIRON) == 0
    out = capsys.readouterr().out
    assert out.startswith("quote: price unknown: up to 33 requests to nobody/knows")
    assert "$" not in out


def test_a_small_model_has_room_for_less(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--repo", str(repo.folder), "--base", "base", "--head", "head", "--format", "json"]
    wide, small = (
        json.loads(printed(tmp_path / name, *flags, *QUOTE, *more))
        for name, more in (("wide", []), ("small", ["--max-prompt-tokens", "24000"]))
    )
    assert 70_000 < wide["budget"] < 100_000, "of the 128,000 of its window"
    assert wide["refusal"] == small["refusal"] == ""
    assert 0 < small["budget"] < 16_000
    assert small["quote"]["input_tokens"] < wide["quote"]["input_tokens"]
    assert capsys.readouterr().out == ""
    snapshot = {"$ref": "#/$defs/snapshot", "$defs": schema()["$defs"]}
    Draft202012Validator(snapshot).validate(wide)


def test_nothing_shown_costs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    patch = tmp_path / "change.patch"
    patch.write_text(PATCH, encoding="utf-8")
    flags = ["--patch", str(patch), "--exclude", "src/**", *QUOTE]
    assert app.main(["snapshot", *flags], ENVIRON) == 0
    assert capsys.readouterr().out == (
        "quote: nothing: no changed line could be shown, so no model is asked\n"
    )
    out = tmp_path / "out.json"
    assert json.loads(printed(out, *flags, "--format", "json"))["quote"] is None


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--quote"], "--quote is about a model, and none is named"),
        (["--quote", "--model", "none"], "--quote is about a model, and none is named"),
        (["--model", "gpt-4o"], "--model goes with --quote alone"),
        (["--run-deadline", "9"], "--run-deadline goes with --quote alone"),
    ],
)
def test_flags_of_a_quote_go_with_a_quote(
    flags: list[str], words: str, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--repo", str(repo.folder), "--base", "base", "--head", "head", *flags]
    assert app.main(["snapshot", *given], ENVIRON) == 2
    assert words in capsys.readouterr().err
