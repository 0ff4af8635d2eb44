"""A change over GitHub's REST API, on the wire: what is kept back is named or counted, and said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pr_review.adapters.github import Client, RestSource
from pr_review.adapters.github.rest_files import Listed, Listing, file
from pr_review.adapters.github.rest_source import MOST_BLOBS
from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.agents.catalogue import select
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.prompt import longest_task, task
from pr_review.checks.policy import ChecksPolicy
from pr_review.domain.diff import FileChange, Status
from pr_review.domain.finding import AgentOutcome
from pr_review.domain.ledger import Coverage
from pr_review.domain.pull_request import Brief, Repository
from pr_review.domain.review import Run, RunStatus
from pr_review.errors import SnapshotError
from pr_review.judge.policy import JudgePolicy
from pr_review.pipeline import review
from pr_review.plan import Doors, Plan
from pr_review.report.html.page import page
from pr_review.report.json_report import dump, report_object
from pr_review.report.log import lines
from pr_review.review.body import summary_body
from pr_review.review.verdict import verdict
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Tools, prepare
from pr_review.snapshot.view import coverage_report
from tests.shared import shared
from tests.snapshot.repository import Blob, Repo, make
from tests.snapshot.taking import scanner
from tests.standins.github import GitHubServer, Limits

NUMBERS = [b"line %d\n" % n for n in range(1, 61)]
BASE = {
    b"a.py": Blob(b"".join(NUMBERS)),
    b"b.py": Blob(b"x = 1\n"),
    b"gone.py": Blob(b"z = 1\n"),
    b"kept.py": Blob(b"kept = 1\n"),
}
HEAD = {
    b"a.py": Blob(b"".join([*NUMBERS[:9], b"changed\n", *NUMBERS[10:]])),
    b"b.py": Blob(b"x = 2\ny = 3\n"),
    b"gone.py": None,
    b"large.py": Blob(b"".join(b"value_%d = %d\n" % (n, n) for n in range(300))),
}
REPOSITORY = Repository("acme", "widgets")
FILES, PULL, TREES, BLOBS = "/pulls/7/files", "/pulls/7$", "/git/trees/", "/git/blobs/"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("rest") / "origin.git", BASE, HEAD).folder


@pytest.fixture
def github(bare: Path) -> Iterator[GitHubServer]:
    with GitHubServer(bare, limits=Limits(patch=1000)) as server:
        server.open_pull(7, base="base", head="head")
        yield server


def source(github: GitHubServer, *, max_bytes: int = 8_000_000, seconds: float = 60) -> RestSource:
    pull = github.api.pulls[7]
    return RestSource(
        Client(github.api_url, github.token, REPOSITORY, max_wait=0),
        number=7,
        merge_base=github.api.merge_base(pull),
        head=pull.head_sha,
        max_bytes=max_bytes,
        seconds=seconds,
    )


def files(change_source: RestSource) -> dict[str, FileChange]:
    return {file.path: file for file in change_source.change().files}


def page_of(change_source: RestSource) -> str:
    """The coverage report of the same change as a page."""
    tools = Tools(change_source, TreeSitter(), scanner())
    prepared = prepare(change_source.change(), SnapshotPolicy(), tools)
    return page(coverage_report(prepared, fit(prepared, SnapshotPolicy(), token_counter())))


def reviewed(change_source: RestSource, policy: SnapshotPolicy | None = None) -> Run:
    """A whole run of the checks alone."""
    plan = Plan(policy or SnapshotPolicy(), AgentPolicy(()), ChecksPolicy(), JudgePolicy())
    doors = Doors(
        change_source, lambda: change_source.tree, token_counter(), scanner(), TreeSitter()
    )
    return review(Brief(), plan, doors)


def told(run: Run) -> dict[str, str]:
    """What every reader of a run gets, as text."""
    assert run.snapshot is not None
    return {
        "prompt": run.snapshot.text,
        "body": summary_body(run),
        "log": "\n".join(lines(run)),
        "report": dump(report_object(run)),
    }


# --- a patch that the list leaves out ------------------------------------------------------


def test_a_patch_that_the_list_leaves_out_comes_from_the_diff(github: GitHubServer) -> None:
    change = source(github).change()
    large = next(file for file in change.files if file.path == "large.py")
    assert large.added_lines == tuple(range(1, 301))
    assert not any(file.withheld or file.defect for file in change.files)
    assert not change.hurried
    asked = [r.headers["accept"] for r in github.calls("GET", PULL)]
    assert asked[0] == "application/vnd.github.diff"
    assert len(asked) == 2


def test_no_diff_is_asked_for_where_the_list_has_every_patch(bare: Path) -> None:
    with GitHubServer(bare) as github:
        github.open_pull(7, base="base", head="head")
        assert files(source(github))["large.py"].added_lines
        assert len(github.calls("GET", PULL)) == 1
        assert len(github.calls("GET")) == 4, "files, two trees, the pull request"
        assert github.calls("GET", FILES)[0].query["per_page"] == "100"


@pytest.mark.parametrize("which", [0, 1], ids=["lines", "files"])
def test_b01_a_refused_diff_is_not_asked_for_again_and_the_review_says_what_it_lacks(
    which: int, github: GitHubServer
) -> None:
    case = json.loads(shared("cases/b01-diff-too-large-406/http.json").read_text("utf-8"))
    answer = case[which]["response"]
    github.fault("GET", PULL, answer["status"], answer["body"], times=1)

    run = reviewed(source(github))

    assert len(github.calls("GET", PULL)) == 2, "the diff once, then the pull request"
    assert run.status is RunStatus.REVIEWED
    assert run.snapshot is not None
    assert run.snapshot.reproducible
    ledger = run.snapshot.ledger
    assert (ledger.coverage, ledger.coverage_source) == (Coverage.PARTIAL, Coverage.PARTIAL)
    assert [entry.path for entry in ledger.withheld] == ["large.py"]
    lost = ledger.by_path["large.py"]
    assert (lost.additions, lost.omitted, lost.reason) == (300, 300, "withheld_by_github")
    for where, text in told(run).items():
        assert "large.py" in text, where
        assert ("withheld_by_github" if where == "report" else "did not hand out") in text, where
    assert ledger.by_path["a.py"].state == "shown"


def test_a_rule_of_the_stand_in_refuses_too(bare: Path) -> None:
    with GitHubServer(bare, limits=Limits(patch=1000, diff_lines=100)) as github:
        github.open_pull(7, base="base", head="head")
        assert files(source(github))["large.py"].withheld


def bodies() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        shared("cases/b20-not-a-diff/bodies.json").read_text("utf-8")
    )
    return found


@pytest.mark.parametrize("which", range(5))
def test_b20_an_answer_that_is_no_diff_is_no_change_without_lines(
    which: int, github: GitHubServer
) -> None:
    """What the diff should have told is named as not seen; the rest is read as ever."""
    answer = bodies()[which]
    headers = {"Content-Type": answer["content_type"]}
    github.fault("GET", PULL, answer["status"], answer["body"], headers, times=1)

    found = source(github).change()

    lost = {file.path: file for file in found.files}["large.py"]
    assert lost.withheld
    assert (lost.additions, lost.hunks) == (300, ())
    assert found.hurried, "a server in order answers with a diff, or with 406"
    assert len(found.files) == 4


@pytest.mark.parametrize("which", range(5))
def test_b20_an_answer_that_is_no_list_of_files_is_an_error(
    which: int, github: GitHubServer
) -> None:
    answer = bodies()[which]
    headers = {"Content-Type": answer["content_type"]}
    github.fault("GET", FILES, answer["status"], answer["body"], headers)
    with pytest.raises(SnapshotError, match="could not be read"):
        source(github).change()


@pytest.mark.parametrize("answer", [None, {}, 7, [None], [{"filename": "a"}], [{"status": "?"}]])
def test_b20_so_is_json_of_another_shape(answer: object, github: GitHubServer) -> None:
    github.fault("GET", FILES, 200, answer)
    with pytest.raises(SnapshotError, match="could not be read"):
        source(github).change()


def test_b20_an_empty_list_where_files_changed_is_an_error(github: GitHubServer) -> None:
    github.fault("GET", FILES, 200, [])
    with pytest.raises(SnapshotError, match="none of the 4 changed files"):
        source(github).change()


def test_a_section_cut_short_loses_its_own_file_alone(github: GitHubServer) -> None:
    cut = (
        "diff --git a/large.py b/large.py\nnew file mode 100644\nindex 0000000..1111111\n"
        "--- /dev/null\n+++ b/large.py\n@@ -0,0 +1,300 @@\n+value_0 = 0\n"
    )
    github.fault("GET", PULL, 200, cut, times=1)
    found = files(source(github))
    assert found["large.py"].defect
    assert not found["large.py"].withheld
    assert found["a.py"].added_lines == (10,)


def test_a_diff_that_the_server_fails_to_give_costs_its_files_and_reproducibility(
    github: GitHubServer,
) -> None:
    github.fault("GET", PULL, 500, times=1)
    run = reviewed(source(github))
    assert run.snapshot is not None
    assert [entry.path for entry in run.snapshot.ledger.withheld] == ["large.py"]
    assert not run.snapshot.reproducible


def test_a_patch_that_does_not_add_up_is_taken_from_the_diff(github: GitHubServer) -> None:
    entries = listed(github)
    entry = next(entry for entry in entries if entry["filename"] == "a.py")
    entry["patch"] = entry["patch"].rpartition("\n")[0]
    github.fault("GET", FILES, 200, entries, times=2)
    assert files(source(github))["a.py"].added_lines == (10,)

    github.fault("GET", PULL, 406, times=1)
    assert files(source(github))["a.py"].defect


def listed(github: GitHubServer) -> list[Any]:
    limit = github.limits.patch
    pull = github.api.pulls[7]
    return [github.api.shapes.file(f, patch_limit=limit) for f in github.api.files(pull)]


# --- files that are not listed -------------------------------------------------------------


def cut_trees(github: GitHubServer) -> None:
    answer = {"sha": "1" * 40, "url": "https://x.invalid", "tree": [], "truncated": True}
    github.fault("GET", TREES, 200, answer, times=2)


def pages(github: GitHubServer, entries: list[Any], changed: int) -> None:
    """The list of a pull request's files, a hundred a page, and its own count of them."""
    for start in range(0, len(entries), 100):
        more = start + 100 < len(entries)
        link = {"Link": '<https://x.invalid?page=2>; rel="next"'} if more else {}
        github.fault("GET", FILES, 200, entries[start : start + 100], link)
    body = {**github.api.pull_json(github.api.pulls[7]), "changed_files": changed}
    github.fault("GET", "/pulls/7$", 406, {"message": "too large"}, times=1)
    github.fault("GET", "/pulls/7$", 200, body)


def test_b02_what_the_list_of_files_keeps_back_is_named_or_counted(github: GitHubServer) -> None:
    folder = "cases/b02-files-endpoint-gaps"
    entries = json.loads(shared(f"{folder}/files.json").read_text("utf-8"))
    right = json.loads(shared(f"{folder}/expected.json").read_text("utf-8"))
    plain = {"status": "added", "additions": 0, "deletions": 0, "changes": 0}
    empty = {**plain, "sha": "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"}
    missing = right["listed"] - len(entries)
    entries += [{**empty, "filename": f"z/{n:04}.py"} for n in range(missing)]
    pages(github, entries, right["pr_changed_files"])
    cut_trees(github)

    run = reviewed(source(github))

    assert len(github.calls("GET", FILES)) == 30
    assert run.snapshot is not None
    ledger = run.snapshot.ledger
    assert len(ledger.entries) == right["listed"]
    unseen = {entry.path for entry in ledger.withheld}
    assert unseen == {*right["unreviewed_must_name"]}
    assert [ledger.by_path[path].binary for path in right["not_text"]] == [True]
    nothing = [ledger.by_path[path] for path in right["nothing_to_review"]]
    assert {(entry.state, entry.changed) for entry in nothing} == {("folded", 0)}
    assert ledger.by_path["copy.py"].status is Status.COPIED
    assert (ledger.coverage, ledger.coverage_source) == (Coverage.PARTIAL, Coverage.PARTIAL)
    for where, text in told(run).items():
        for path in unseen:
            assert path in text, where
        if where != "report":
            assert right["must_say"] in text, where
    assert report_object(run)["snapshot"]["unlisted"] == 5  # type: ignore[index]


def test_a_change_of_which_every_listed_line_is_shown_is_partial_if_one_file_is_not_listed(
    github: GitHubServer,
) -> None:
    entries = [entry for entry in listed(github) if entry["filename"] != "large.py"]
    body = {**github.api.pull_json(github.api.pulls[7]), "changed_files": 4}
    github.fault("GET", FILES, 200, entries)
    github.fault("GET", PULL, 200, body)
    run = reviewed(source(github))
    assert run.snapshot is not None
    assert run.snapshot.ledger.withheld == ()
    assert run.coverage_source is Coverage.PARTIAL
    assert "4 files changed, 3 listed: the last one was never seen" in run.snapshot.text
    assert "Nothing of the change was left out" not in run.snapshot.text
    (agent,) = select(("bugs",))
    asked = task(agent, run.snapshot.ledger)
    assert "1 changed file of this change could not be listed" in asked
    assert "holds every changed line" not in asked
    assert len(longest_task(agent)) > len(asked)
    clean = replace(run, agents=(AgentOutcome("bugs", calls=1),), judged=())
    assert "1 changed file could not be named" in verdict(clean)
    assert "in the source that the model received" in verdict(clean)


def test_the_page_says_what_is_not_listed(github: GitHubServer) -> None:
    body = {**github.api.pull_json(github.api.pulls[7]), "changed_files": 9}
    github.fault("GET", PULL, 406, times=1)
    github.fault("GET", PULL, 200, body)
    text = page_of(source(github))
    assert "9 files changed, 4 listed: the last 5 were never seen" in text
    assert "read over GitHub&#39;s REST API" in text or "read over GitHub's REST API" in text
    assert "nothing was left out" not in text


def test_a_change_that_is_excluded_is_not_ours_only_if_every_file_is_known(
    github: GitHubServer,
) -> None:
    policy = SnapshotPolicy(exclude=("**",))
    assert reviewed(source(github), policy).status is RunStatus.SKIPPED
    body = {**github.api.pull_json(github.api.pulls[7]), "changed_files": 9}
    github.fault("GET", PULL, 406, times=1)
    github.fault("GET", PULL, 200, body)
    assert reviewed(source(github), policy).status is RunStatus.NOT_REVIEWED


def test_a_file_that_is_listed_twice_is_an_error(github: GitHubServer) -> None:
    entries = listed(github)
    github.fault("GET", FILES, 200, [*entries, entries[0]])
    with pytest.raises(SnapshotError, match=r"a\.py twice"):
        source(github).change()


# --- the head that the list belongs to -----------------------------------------------------


def test_a_head_that_moved_while_the_list_was_read(github: GitHubServer) -> None:
    opened = source(github)
    github.push(7, "base")
    github.fault("GET", TREES, 200, {"tree": [], "truncated": True}, times=2)
    with pytest.raises(SnapshotError, match="moved while it was read"):
        opened.change()


def test_a_list_of_another_head_that_came_and_went(github: GitHubServer) -> None:
    """The pull request names the right head again; the contents that are listed are not its."""
    entries = listed(github)
    entries[0]["sha"] = "7" * 40
    github.fault("GET", FILES, 200, entries)
    with pytest.raises(SnapshotError, match=r"a\.py as modified, which it is not"):
        source(github).change()


@pytest.mark.parametrize(
    "entry",
    [
        {"filename": "kept.py", "status": "added"},
        {"filename": "kept.py", "status": "removed"},
        {"filename": "gone.py", "status": "modified"},
        {"filename": "nowhere.py", "status": "added"},
        {"filename": "nowhere.py", "status": "removed"},
        {"filename": "large.py", "status": "modified"},
        {"filename": "large.py", "status": "renamed", "previous_filename": "nowhere.py"},
    ],
)
def test_an_entry_that_is_not_of_these_two_commits(
    entry: dict[str, str], github: GitHubServer
) -> None:
    other = {"additions": 1, "deletions": 0, "sha": None, "patch": "@@ -0,0 +1 @@\n+x"}
    github.fault("GET", FILES, 200, [{**other, **entry}])
    with pytest.raises(SnapshotError, match="which it is not from"):
        source(github).change()


def test_a_name_that_lost_its_bytes_proves_nothing(github: GitHubServer) -> None:
    entry = {"filename": "b\ufffd.py", "status": "modified", "additions": 1, "deletions": 0}
    github.fault("GET", FILES, 200, [{**entry, "patch": "@@ -0,0 +1 @@\n+x"}])
    assert files(source(github))["b\ufffd.py"].added_lines == (1,)


# --- what the trees tell, and what is unknown without them ---------------------------------


def test_a_cut_tree_leaves_modes_and_old_contents_unknown(bare: Path) -> None:
    with GitHubServer(bare, limits=Limits(tree_entries=0)) as github:
        github.open_pull(7, base="base", head="head")
        opened = source(github)
        found = files(opened)
        assert (found["a.py"].old_mode, found["a.py"].new_mode) == ("", "")
        assert found["a.py"].old_oid == "0" * 40
        assert found["a.py"].added_lines == (10,)
        assert found["gone.py"].new_mode == "000000"
        assert opened.blobs([found["a.py"].new_oid])
        assert opened.tree is None
        with pytest.raises(SnapshotError, match="in part only"):
            opened.head_files()


def test_nothing_is_called_missing_by_a_tree_that_github_cut(bare: Path) -> None:
    with GitHubServer(bare, limits=Limits(tree_entries=1)) as github:
        github.open_pull(7, base="base", head="head")
        run = reviewed(source(github))
        assert run.snapshot is not None
        assert run.snapshot.ledger.dependencies == ()


OLD, NEW, NONE = "1" * 40, "2" * 40, "0" * 40
ENTRY = {"filename": "a", "sha": NEW, "additions": 0, "deletions": 0}


@pytest.mark.parametrize(
    ("entry", "status", "binary"),
    [
        ({"status": "added"}, Status.ADDED, True),
        ({"status": "added", "sha": None}, Status.ADDED, True),
        ({"status": "added", "sha": "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"}, "added", False),
        ({"status": "added", "additions": 1}, Status.ADDED, False),
        ({"status": "removed"}, Status.DELETED, True),
        ({"status": "modified"}, Status.MODIFIED, True),
        ({"status": "renamed", "previous_filename": "b"}, Status.RENAMED, False),
        ({"status": "changed"}, Status.MODE, False),
        ({"status": "changed", "additions": 1}, Status.MODIFIED, False),
        ({"status": "unchanged"}, Status.MODIFIED, False),
    ],
)
def test_what_an_entry_says_where_no_tree_is_known(
    entry: dict[str, Any], status: Status, binary: bool
) -> None:
    told = file(Listed.of({**ENTRY, **entry}), Listing(), Listing())
    assert (told.status, told.binary) == (status, binary)
    assert told.old_oid == (NEW if status is Status.DELETED else NONE)
    known = {"added": ("000000", ""), "deleted": ("", "000000")}
    assert (told.old_mode, told.new_mode) == known.get(told.status, ("", ""))


# --- bounds --------------------------------------------------------------------------------


def test_the_cap_of_the_raw_diff_holds(github: GitHubServer) -> None:
    change = source(github, max_bytes=400).change()
    assert change.oversize
    assert change.raw_bytes > 400
    assert [file.path for file in change.files] == ["a.py", "b.py", "gone.py", "large.py"]
    assert [bool(file.hunks) for file in change.files] == [True, True, True, False]


def test_contents_are_read_once_and_not_without_end(tmp_path: Path) -> None:
    base = {b"f%03d.py" % n: Blob(b"a = %d\n" % n) for n in range(50)}
    head = {path: Blob(blob.content + b"b = 1\n") for path, blob in base.items()}
    bare = make(tmp_path / "many.git", base, head).folder
    with GitHubServer(bare) as github:
        github.open_pull(7, base="base", head="head")
        opened = source(github)
        change = opened.change()
        oids = [oid for file in change.files for oid in (file.new_oid, file.old_oid)]
        got = opened.blobs(oids)
        assert list(got) == oids[:MOST_BLOBS]
        assert opened.blobs(oids) == got
        assert len(github.calls("GET", BLOBS)) == MOST_BLOBS
        assert len(github.calls("GET")) == MOST_BLOBS + 4


def test_a_content_that_is_too_large_is_not_asked_for(tmp_path: Path) -> None:
    head = {b"big.txt": Blob(b"x" * 1_000_001), b"small.txt": Blob(b"x\n")}
    with GitHubServer(make(tmp_path / "big.git", {}, head).folder) as github:
        github.open_pull(7, base="base", head="head")
        opened = source(github)
        found = files(opened)
        oids = [found["big.txt"].new_oid, found["small.txt"].new_oid]
        assert opened.blobs(oids) == {oids[1]: b"x\n"}
        assert len(github.calls("GET", BLOBS)) == 1


def test_a_content_that_is_not_what_its_id_names_is_refused(github: GitHubServer) -> None:
    opened = source(github)
    oid = files(opened)["a.py"].new_oid
    answer = github.api.shapes.blob(oid, b"other\n")
    github.fault("GET", BLOBS, 200, answer)
    with pytest.raises(SnapshotError, match="could not be read"):
        opened.blobs([oid])
    assert opened.tree is not None
    assert opened.tree.blob(oid) is None, "a check is told that it cannot be had"


def test_a_server_that_fails_for_contents_costs_context_and_not_the_review(
    github: GitHubServer,
) -> None:
    github.fault("GET", BLOBS, 500, times=100)
    run = reviewed(source(github))
    assert run.status is RunStatus.REVIEWED
    assert run.snapshot is not None
    assert run.snapshot.ledger.by_path["a.py"].state == "shown"
    assert not run.snapshot.reproducible
    assert len(github.calls("GET", BLOBS)) == 1, "a server that failed is left alone"


def test_the_time_is_up_before_anything_is_asked(github: GitHubServer) -> None:
    with pytest.raises(SnapshotError, match=r"in 0 s .*prepare-deadline"):
        source(github, seconds=0).change()
    opened = source(github)
    opened._until = 0
    with pytest.raises(SnapshotError, match="prepare-deadline"):
        opened.blobs(["1" * 40])
    assert not github.requests


def test_a_slow_list_ends_in_time(github: GitHubServer) -> None:
    github.fault("GET", FILES, 200, listed(github), {"Link": '<x>; rel="next"'}, delay=0.2)
    with pytest.raises(SnapshotError, match=r"in 0\.1 s"):
        source(github, seconds=0.1).change()
    assert len(github.requests) == 1


@pytest.mark.parametrize("path", [FILES, TREES, PULL])
def test_what_cannot_be_done_without_is_an_error_of_the_port(
    path: str, github: GitHubServer
) -> None:
    github.fault("GET", path, 403, {"message": "Resource not accessible"}, times=9)
    with pytest.raises(SnapshotError) as info:
        source(github).change()
    assert "403" in str(info.value)
    assert github.token not in str(info.value)
    assert "\n" not in str(info.value)


def test_equal_commits_give_an_equal_snapshot_and_rest_is_part_of_its_digest(
    github: GitHubServer,
) -> None:
    one, two = reviewed(source(github)).snapshot, reviewed(source(github)).snapshot
    assert one is not None
    assert two is not None
    assert (one.digest, one.text) == (two.digest, two.text)
    assert one.source == "rest"
    assert one.reproducible
    change = source(github).change()
    assert replace(change, source="git") != change  # type: ignore[arg-type]


def test_sizes_come_from_the_lists_of_both_commits(bare: Path, github: GitHubServer) -> None:
    tree = source(github).tree
    assert tree is not None
    repo = Repo(bare)
    old, new = (repo.git("rev-parse", f"{side}:b.py").decode().strip() for side in ("base", "head"))
    asked = github.calls("GET", BLOBS)
    assert tree.sizes([old, new, "f" * 40]) == {old: 6, new: 12}
    assert github.calls("GET", BLOBS) == asked
