"""What a release checks and changes, with real git; the workflow's own script makes the commit."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

import pr_review
from scripts import release
from tests.contract import documents
from tests.contract.test_workflows import workflow

DIGEST = f"sha256:{'ab' * 32}"
IMAGE = f"ghcr.io/some-owner/pr-review@{DIGEST}"
COPIED = ("action.yml", "Dockerfile", "src/pr_review/__init__.py")
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n## [{0}] - 2026-12-01\n\n### Added\n\n- All of it.\n"
ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "HOME": "/nonexistent"}


def git(folder: Path, *words: str) -> str:
    author = (
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "-c",
        "init.defaultBranch=main",
    )
    command = ["git", "-C", str(folder), *author, *words]
    done = subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """This repository as it would be released, in a repository of its own with an origin."""
    root = tmp_path / "checkout"
    for name in COPIED:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(documents.text(name), encoding="utf-8")
    (root / "CHANGELOG.md").write_text(CHANGELOG.format(pr_review.__version__), encoding="utf-8")
    git(tmp_path, "init", "-q", "--bare", "origin")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Sample")
    git(root, "remote", "add", "origin", str(tmp_path / "origin"))
    git(root, "push", "-q", "origin", "main")
    return root


def test_the_plan_names_what_is_released(tree: Path) -> None:
    git(tree, "tag", "v0.0.9")
    git(tree, "tag", "v0")  # moves: it is no version
    assert release.plan(tree, "Some-Owner/PR-Review") == {
        "version": pr_review.__version__,
        "tag": f"v{pr_review.__version__}",
        "major": f"v{pr_review.__version__.partition('.')[0]}",
        "image": "ghcr.io/some-owner/pr-review",
        "base": "python:3.13-slim",
    }
    assert release.notes(tree) == "### Added\n\n- All of it."


def test_this_repository_is_releasable_but_for_its_changelog_at_most() -> None:
    assert release.version(documents.ROOT) == pr_review.__version__
    assert release.base(documents.ROOT) == "python:3.13-slim"


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("CHANGELOG.md", "## [Unreleased]\n\n- New.\n\n## [0.1.0] - 2026-12-01\n", "Unreleased"),
        (
            "CHANGELOG.md",
            "## [Unreleased]\n\n## [0.0.9] - 2026-12-01\n\n- Old.\n",
            "newest section",
        ),
        ("CHANGELOG.md", "## [Unreleased]\n\n## [0.1.0]\n\n- Without a date.\n", "newest section"),
        ("CHANGELOG.md", "# Changelog\n", "newest section"),
        ("src/pr_review/__init__.py", '__version__ = "1.0.0rc1"\n', "no version"),
        ("src/pr_review/__init__.py", "", "no version"),
        ("Dockerfile", "FROM a:1 AS build\nFROM b:2\n", "one base"),
    ],
)
def test_what_is_not_ready_is_refused(tree: Path, file: str, text: str, said: str) -> None:
    (tree / file).write_text(text.replace("0.1.0", pr_review.__version__), encoding="utf-8")
    with pytest.raises(release.NotReleasableError, match=said):
        release.plan(tree, "o/r")


@pytest.mark.parametrize("tag", [f"v{pr_review.__version__}", "v10.0.0"])
def test_a_version_is_above_all_that_are_released(tree: Path, tag: str) -> None:
    git(tree, "tag", tag)
    with pytest.raises(release.NotReleasableError, match=f"not above the tag {tag}"):
        release.plan(tree, "o/r")


@pytest.mark.parametrize("repository", ["", "name", "o/r/x", "o/r:x", "o/r\nx=y"])
def test_what_is_no_repository_is_refused(tree: Path, repository: str) -> None:
    with pytest.raises(release.NotReleasableError, match="OWNER/NAME"):
        release.plan(tree, repository)


@pytest.mark.parametrize("image", [IMAGE, f"registry.example.com:5000/pr-review@{DIGEST}"])
def test_the_action_runs_the_image_and_nothing_else_changes(tree: Path, image: str) -> None:
    before = documents.text("action.yml")
    release.pin_image(tree, image)
    after = (tree / "action.yml").read_text(encoding="utf-8")
    changed = set(after.split("\n")) - set(before.split("\n"))
    assert changed == {f"  image: docker://{image}"}
    assert yaml.safe_load(after) == {
        **documents.action(),
        "runs": {"using": "docker", "image": f"docker://{image}"},
    }
    with pytest.raises(release.NotReleasableError, match="no line"):
        release.pin_image(tree, image)


@pytest.mark.parametrize(
    "image",
    ["ghcr.io/o/r:v1", f"ghcr.io/O/r@{DIGEST}", f"{IMAGE}\nx: y", f"@{DIGEST}", IMAGE[:-1]],
)
def test_an_image_is_named_by_its_digest_alone(tree: Path, image: str) -> None:
    with pytest.raises(release.NotReleasableError, match="by its digest"):
        release.pin_image(tree, image)
    assert (tree / "action.yml").read_text(encoding="utf-8") == documents.text("action.yml")


def test_every_stage_starts_from_the_base_that_was_looked_up(tree: Path) -> None:
    for pinned in (DIGEST, f"sha256:{'cd' * 32}"):
        release.pin_base(tree, pinned)
        text = (tree / "Dockerfile").read_text(encoding="utf-8")
        froms = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
        assert set(froms) == {f"python:3.13-slim@{pinned}"}
        assert len(froms) > 1
        assert release.base(tree) == "python:3.13-slim"
        assert text.replace(f"@{pinned}", "") == documents.text("Dockerfile")
    with pytest.raises(release.NotReleasableError, match="not a digest"):
        release.pin_base(tree, "3.13-slim")


def index(*platforms: str, digest: str = DIGEST) -> str:
    """As `imagetools inspect` prints it; what BuildKit attests is on a platform of its own."""
    split = [dict(zip(("os", "architecture"), p.split("/"), strict=True)) for p in platforms]
    return json.dumps({"digest": digest, "manifests": [{"platform": p} for p in split]})


def test_an_image_for_both_platforms_is_known_by_its_digest() -> None:
    both = index("linux/amd64", "unknown/unknown", "linux/arm64", "linux/s390x")
    assert release.digest(both) == DIGEST


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (index("linux/amd64", "unknown/unknown"), "nothing for linux/arm64"),
        (json.dumps({"digest": DIGEST}), "nothing for linux/amd64, linux/arm64"),
        (index("linux/amd64", "linux/arm64", digest="sha256:x"), "not a digest"),
    ],
)
def test_an_image_for_one_platform_is_refused(text: str, said: str) -> None:
    with pytest.raises(release.NotReleasableError, match=said):
        release.digest(text)


def test_the_command_line_answers_as_the_runner_reads_and_refuses_in_one_line(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tree)
    assert release.main(["plan", "o/r"]) == 0
    lines = capsys.readouterr().out.strip().split("\n")
    assert lines[0] == f"version={pr_review.__version__}"
    assert [line.partition("=")[0] for line in lines[1:]] == ["tag", "major", "image", "base"]
    assert release.main(["pin-image", "latest"]) == 1
    assert capsys.readouterr().err == "error: 'latest' does not name an image by its digest\n"


def commit(clone: Path, tag: str) -> int:
    """Runs the workflow's own script, as the runner does; its exit code."""
    (script,) = (
        step["run"]
        for step in workflow("release.yml")["jobs"]["publish"]["steps"]
        if step.get("name") == "Commit and tag"
    )
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    given = ENVIRONMENT | {"TAG": tag, "MAJOR": tag.partition(".")[0]}
    done = subprocess.run(bash, check=False, cwd=clone, env=given, capture_output=True)
    return done.returncode


def checkout(tree: Path, name: str) -> Path:
    """A clone as the runner makes it: of one commit, without a branch; an image pinned in it."""
    made = tree.parent / name
    origin = (tree.parent / "origin").as_uri()
    git(tree.parent, "clone", "-q", "--depth", "1", "--branch", "main", origin, str(made))
    git(made, "checkout", "-q", "--detach")
    release.pin_base(made, DIGEST)
    release.pin_image(made, IMAGE)
    (made / "left.txt").write_text("by a step", encoding="utf-8")
    return made


def test_a_release_is_a_commit_beside_the_branch_and_moves_the_major_tag(tree: Path) -> None:
    origin, main = tree.parent / "origin", git(tree, "rev-parse", "main")
    for tag in ("v1.2.3", "v1.3.0"):
        assert commit(checkout(tree, tag), tag) == 0
        made = git(origin, "rev-parse", f"refs/tags/{tag}")
        assert git(origin, "rev-parse", "refs/tags/v1", f"{tag}^") == f"{made}\n{main}"
        assert set(git(origin, "diff", "--name-only", main, tag).split("\n")) == set(COPIED[:2])
        assert f"image: docker://{IMAGE}" in git(origin, "show", f"{tag}:action.yml")
    assert git(origin, "rev-parse", "main") == main


def test_a_version_that_is_released_stays_and_with_it_the_major_tag(tree: Path) -> None:
    origin, clone = tree.parent / "origin", checkout(tree, "clone")
    git(origin, "tag", "v1.2.3", "main")
    git(origin, "tag", "v1", "main")
    before = git(origin, "show-ref", "--tags")
    assert commit(clone, "v1.2.3") != 0
    assert git(origin, "show-ref", "--tags") == before


def test_the_page_tells_how_to_check_what_the_workflow_signs() -> None:
    page, sign = documents.text("docs/releasing.md"), str(workflow("release.yml")["jobs"]["sign"])
    issuer = "--certificate-oidc-issuer https://token.actions.githubusercontent.com"
    assert issuer in page
    assert issuer in sign
    identity = "https://github.com/OWNER/pr-review/.github/workflows/release.yml@refs/heads/main"
    assert f"--certificate-identity {identity}" in page
    assert re.findall(r"cosign.*? ([0-9.]+) or newer", page, re.DOTALL) == re.findall(
        r"'cosign-release': 'v([0-9.]+)'", sign
    )


def test_the_page_tells_what_each_job_may() -> None:
    told = {
        row[0].strip("`"): row[2] for row in documents.table("Make a release", "docs/releasing.md")
    }
    jobs = workflow("release.yml")["jobs"]
    assert list(told) == list(jobs)
    for job, rights in told.items():
        given = jobs[job].get("permissions", {}).items()
        writes = [f"`{right}: {level}`" for right, level in given if level == "write"]
        assert rights == (", ".join(writes) or "read")
