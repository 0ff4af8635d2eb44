"""`pr-review snapshot` in its three formats: one snapshot, told in three ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pr_review import app
from pr_review.errors import ConfigurationError
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
