"""The GitHub stand-in tells what git tells, and refuses what GitHub refuses."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.standins.github import Account, GitHubServer, Limits
from tests.standins.github_git import clean_environment
from tests.standins.github_hosted import hosted
from tests.standins.github_rules import RULES
from tests.standins.github_sample import sample
from tests.standins.github_shapes import Json

PERSON = Account("hubot")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(tmp_path_factory.mktemp("github") / "widgets.git")


@pytest.fixture
def github(bare: Path) -> Iterator[GitHubServer]:
    with hosted(bare, PERSON) as server:
        yield server


def ask(
    github: GitHubServer,
    method: str,
    path: str,
    sent: Any = None,
    token: str = "ghs_standin",
    accept: str = "application/json",
) -> requests.Response:
    headers = {"Authorization": f"token {token}", "Accept": accept}
    address = f"{github.api_url}/repos/acme/widgets{path}"
    return requests.request(method, address, json=sent, headers=headers, timeout=10)


def post_review(github: GitHubServer, *, token: str = "ghs_standin", **sent: Any) -> Json:
    answer = ask(github, "POST", "/pulls/7/reviews", {"body": "b", **sent}, token)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


# --- what it tells -------------------------------------------------------------------------


def test_pull_request_and_files_are_gits_own(github: GitHubServer) -> None:
    pull = ask(github, "GET", "/pulls/7").json()
    files = {f["filename"]: f for f in ask(github, "GET", "/pulls/7/files").json()}

    assert pull["changed_files"] == len(files) == 5
    assert pull["head"]["repo"]["full_name"] == pull["base"]["repo"]["full_name"]
    assert files["moved.py"]["previous_filename"] == "old.py"
    assert files["moved.py"]["status"] == "renamed"
    assert files["gone.txt"]["status"] == "removed"
    assert "patch" not in files["logo.png"]
    assert files["new.py"]["patch"] == "@@ -0,0 +1,3 @@\n+a = 1\n+b = 2\n+c = 3"
    assert "later.txt" not in files, "the diff is against the merge base"


def test_commits_come_in_pages(github: GitHubServer) -> None:
    first = ask(github, "GET", "/pulls/7/commits?per_page=1")
    second = ask(github, "GET", "/pulls/7/commits?per_page=1&page=2")

    assert first.json()[0]["commit"]["message"] == "Change lines\n\nBecause they were wrong."
    assert second.json()[0]["commit"]["message"] == "Move things"
    assert 'rel="next"' in first.headers["Link"]
    assert "Link" not in second.headers


def test_compare_leaves_files_out_after_the_first_page(github: GitHubServer) -> None:
    first = ask(github, "GET", "/compare/main...feature").json()
    second = ask(github, "GET", "/compare/main...feature?per_page=1&page=2").json()

    assert first["status"] == "diverged"
    assert len(first["files"]) == 5
    assert "files" not in second
    assert first["merge_base_commit"]["sha"] == second["merge_base_commit"]["sha"]
    assert first["merge_base_commit"]["commit"]["message"] == "Begin"


def test_long_lists_stop_where_github_stops(bare: Path) -> None:
    limits = Limits(patch=20, listed_files=3, compared_files=2)
    with GitHubServer(bare, limits=limits) as github:
        github.open_pull(7)

        files = ask(github, "GET", "/pulls/7/files").json()

        assert len(files) == 3
        assert not any("patch" in file for file in files)
        assert len(ask(github, "GET", "/compare/main...feature").json()["files"]) == 2


@pytest.mark.parametrize(
    ("rule", "limits", "words"),
    [
        ("diff-too-many-lines", Limits(diff_lines=10), "lines (10)"),
        ("diff-too-many-files", Limits(diff_files=4), "files (4)"),
    ],
)
def test_diff_media_type_has_limits(bare: Path, rule: str, limits: Limits, words: str) -> None:
    diff = "application/vnd.github.diff"
    with GitHubServer(bare, limits=limits) as github:
        github.open_pull(7)

        refused = ask(github, "GET", "/pulls/7", accept=diff)
        github.disable(rule)
        text = ask(github, "GET", "/pulls/7", accept=diff).text

    assert refused.status_code == 406
    assert refused.json()["errors"][0]["code"] == "too_large"
    assert words in refused.json()["message"]
    assert text.startswith("diff --git a/")


def test_contents_at_a_ref(github: GitHubServer) -> None:
    there = ask(github, "GET", "/contents/.github/pr-review.yml?ref=main")
    missing = ask(github, "GET", "/contents/later.txt?ref=feature")

    assert base64.b64decode(there.json()["content"]) == b"max-comments: 3\n"
    assert missing.status_code == 404


def test_deleted_accounts_and_forks_are_null(github: GitHubServer) -> None:
    github.open_pull(8, author=None, body=None, fork="deleted")

    pull = ask(github, "GET", "/pulls/8").json()

    assert (pull["user"], pull["body"], pull["head"]["repo"]) == (None, None, None)


def test_pending_reviews_are_seen_by_their_author_alone(github: GitHubServer) -> None:
    pending = post_review(github)

    assert pending["state"] == "PENDING"
    assert len(ask(github, "GET", "/pulls/7/reviews").json()) == 1
    assert ask(github, "GET", "/pulls/7/reviews", token="person").json() == []


def test_pending_review_is_submitted_and_edited(github: GitHubServer) -> None:
    number = post_review(github)["id"]

    submitted = ask(github, "POST", f"/pulls/7/reviews/{number}/events", {"event": "COMMENT"})
    edited = ask(github, "PUT", f"/pulls/7/reviews/{number}", {"body": "c"})

    assert submitted.json()["state"] == "COMMENTED"
    assert edited.json()["body"] == "c"


def test_review_comments_keep_their_anchor(github: GitHubServer) -> None:
    comment = {"path": "f.txt", "body": "x", "line": 5, "side": "LEFT", "start_line": 3}
    number = post_review(github, event="COMMENT", comments=[comment])["id"]

    found = ask(github, "GET", f"/pulls/7/reviews/{number}/comments").json()

    assert {key: found[0][key] for key in comment} == comment


def test_issue_comments_and_reactions(github: GitHubServer) -> None:
    number = github.comment(7, "/review")["id"]

    ask(github, "POST", f"/issues/comments/{number}/reactions", {"content": "eyes"})
    ask(github, "POST", "/issues/7/comments", {"body": "done"})

    assert github.reactions == [(number, "eyes")]
    assert [c["body"] for c in ask(github, "GET", "/issues/7/comments").json()] == [
        "/review",
        "done",
    ]


# --- what it refuses -----------------------------------------------------------------------

Example = Callable[[GitHubServer], requests.Response]


def review(*, token: str = "ghs_standin", **sent: Any) -> Example:
    body = {"body": "b", "event": "COMMENT", **sent}
    return lambda github: ask(github, "POST", "/pulls/7/reviews", body, token)


def anchored(**anchor: Any) -> Example:
    return review(comments=[{"path": "f.txt", "body": "x", **anchor}])


def read_only(github: GitHubServer) -> requests.Response:
    github.grant("weak", PERSON, {"pull_requests": "read"}, installation=True)
    return review(token="weak")(github)


def own_pull(event: str) -> Example:
    def attempt(github: GitHubServer) -> requests.Response:
        github.open_pull(7, author=PERSON.login)
        return review(event=event, token="person")(github)

    return attempt


def second_pending(github: GitHubServer) -> requests.Response:
    github.add_review(7, github.actor, "mine", "PENDING")
    return ask(github, "POST", "/pulls/7/reviews", {"body": "b"})


def submitted(method: str, tail: str = "", sent: Any = None) -> Example:
    def attempt(github: GitHubServer) -> requests.Response:
        number = github.add_review(7, github.actor, "mine", "COMMENTED").id
        return ask(github, method, f"/pulls/7/reviews/{number}{tail}", sent)

    return attempt


def locked(github: GitHubServer) -> requests.Response:
    github.api.pulls[7].locked = True
    return review()(github)


def archived(github: GitHubServer) -> requests.Response:
    github.api.archived = True
    return review()(github)


def odd_reaction(github: GitHubServer) -> requests.Response:
    number = github.comment(7, "/review")["id"]
    return ask(github, "POST", f"/issues/comments/{number}/reactions", {"content": "shrug"})


EXAMPLES: dict[str, Example] = {
    "write-permission": read_only,
    "archived": archived,
    "locked": locked,
    "unknown-key": review(colour="red"),
    "unknown-event": review(event="MERGE"),
    "unknown-reaction": odd_reaction,
    "comment-incomplete": anchored(line=5, body=""),
    "body-too-long": review(body="x" * 65_537),
    "comment-body-too-long": anchored(line=5, body="x" * 65_537),
    "body-missing": review(body=" "),
    "update-body-missing": submitted("PUT", sent={"body": ""}),
    "unknown-commit": review(commit_id="0" * 40),
    "unknown-path": anchored(path="nowhere.txt", line=5),
    "line-in-hunk": anchored(line=20),
    "no-anchor": anchored(),
    "start-before-line": anchored(start_line=5, line=5),
    "start-in-same-hunk": anchored(start_line=5, line=50),
    "start-on-same-side": anchored(start_line=4, line=5, side="RIGHT", start_side="LEFT"),
    "approve-by-installation": review(event="APPROVE"),
    "approve-own": own_pull("APPROVE"),
    "request-changes-own": own_pull("REQUEST_CHANGES"),
    "one-pending": second_pending,
    "submit-pending-only": submitted("POST", "/events", {"event": "COMMENT"}),
    "delete-pending-only": submitted("DELETE"),
}


def test_every_rule_has_an_example() -> None:
    assert EXAMPLES.keys() == RULES.keys()


@pytest.mark.parametrize("rule", EXAMPLES)
def test_refuses(github: GitHubServer, rule: str) -> None:
    answer = EXAMPLES[rule](github)
    github.violations.clear()  # some of these are outside the description on purpose

    assert answer.status_code == (403 if rule in ("write-permission", "archived") else 422)
    assert answer.json()["message"]


@pytest.mark.parametrize("rule", EXAMPLES)
def test_accepts_the_same_without_the_rule(github: GitHubServer, rule: str) -> None:
    github.disable(rule)

    answer = EXAMPLES[rule](github)
    github.violations.clear()

    assert answer.ok, f"another rule refuses it too: {answer.text}"


@pytest.mark.parametrize(
    ("anchor", "status"),
    [
        ({"line": 2}, 200),
        ({"line": 1}, 422),
        ({"line": 8}, 200),
        ({"line": 9}, 422),
        ({"line": 5, "side": "LEFT"}, 200),
        ({"line": 8, "start_line": 2}, 200),
        ({"path": "new.py", "line": 3}, 200),
        ({"path": "new.py", "line": 1, "side": "LEFT"}, 422),
        ({"path": "gone.txt", "line": 2, "side": "LEFT"}, 200),
        ({"path": "gone.txt", "line": 2}, 422),
        ({"path": "logo.png", "line": 1}, 422),
        ({"path": "moved.py", "line": 1}, 422),
    ],
)
def test_hunk_borders(github: GitHubServer, anchor: Json, status: int) -> None:
    assert anchored(**anchor)(github).status_code == status


def test_one_bad_anchor_loses_the_whole_review(github: GitHubServer) -> None:
    good, bad = ({"path": "f.txt", "body": "x", "line": line} for line in (5, 20))

    assert review(comments=[good, bad])(github).status_code == 422
    assert github.reviews(7) == []


def test_missing_right_is_named(github: GitHubServer) -> None:
    answer = read_only(github)

    assert answer.json()["message"] == "Resource not accessible by integration"
    assert answer.headers["X-Accepted-GitHub-Permissions"] == "pull_requests=write"


def test_wrong_token_and_wrong_repository(github: GitHubServer) -> None:
    bearer = {"Authorization": f"Bearer {github.token}"}
    other = requests.get(f"{github.api_url}/repos/acme/gadgets", headers=bearer, timeout=10)

    assert ask(github, "GET", "/pulls/7", token="wrong").status_code == 401
    assert ask(github, "GET", "/pulls/99").status_code == 404
    assert other.status_code == 404


def test_user_is_refused_to_an_installation(github: GitHubServer) -> None:
    def user(token: str) -> int:
        headers = {"Authorization": f"token {token}"}
        return requests.get(f"{github.api_url}/user", headers=headers, timeout=10).status_code

    assert (user("ghs_standin"), user("person")) == (403, 200)
    github.disable("user-by-installation")
    assert user("ghs_standin") == 200


@pytest.mark.parametrize("event", [None, "COMMENT"])
def test_one_pending_review_bars_submitted_ones_too(
    github: GitHubServer, event: str | None
) -> None:
    post_review(github)
    sent = {"body": "b", **({"event": event} if event else {})}

    assert ask(github, "POST", "/pulls/7/reviews", sent).status_code == 422
    assert ask(github, "POST", "/pulls/7/reviews", sent, "person").status_code == 200


def test_locked_conversation_is_open_to_those_who_may_push(github: GitHubServer) -> None:
    github.grant("pusher", PERSON, {"pull_requests": "write", "contents": "write"})
    github.api.pulls[7].locked = True

    assert review(token="pusher")(github).status_code == 200


# --- GraphQL -------------------------------------------------------------------------------


def query(
    github: GitHubServer, text: str, token: str = "ghs_standin", **variables: Any
) -> requests.Response:
    return requests.post(
        f"{github.url}/graphql",
        json={"query": text, "variables": variables},
        headers={"Authorization": f"token {token}"},
        timeout=10,
    )


def pull_query(github: GitHubServer, fields: str, token: str = "ghs_standin") -> Json:
    text = 'query { repository(owner: "acme", name: "widgets") { pullRequest(number: 7) {%s} } }'
    answer = query(github, text % fields, token).json()
    found: Json = answer["data"]["repository"]["pullRequest"] if answer["data"] else answer
    return found


def test_graphql_gives_what_is_selected(github: GitHubServer) -> None:
    number = post_review(github, event="COMMENT")["id"]

    found = pull_query(github, "headRefOid reviews(first: 9) { nodes { fullDatabaseId state } }")

    assert found == {
        "headRefOid": github.api.pulls[7].head_sha,
        "reviews": {"nodes": [{"fullDatabaseId": str(number), "state": "COMMENTED"}]},
    }


def test_graphql_lists_come_in_pages(github: GitHubServer) -> None:
    for number in range(3):
        github.add_review(7, PERSON, f"Remark {number}", "COMMENTED")
    fields = "reviews(%s) { pageInfo { hasNextPage endCursor } nodes { body } }"

    first = pull_query(github, fields % "first: 2")["reviews"]
    cursor = first["pageInfo"]["endCursor"]
    second = pull_query(github, fields % f'first: 2, after: "{cursor}"')["reviews"]

    assert [node["body"] for node in first["nodes"] + second["nodes"]] == [
        "Remark 0",
        "Remark 1",
        "Remark 2",
    ]
    assert (first["pageInfo"]["hasNextPage"], second["pageInfo"]["hasNextPage"]) == (True, False)


def test_graphql_shows_a_pending_review_to_its_author_alone(github: GitHubServer) -> None:
    comment = {"path": "f.txt", "body": "x", "line": 5}
    post_review(github, comments=[comment])
    fields = "reviews(first: 9) { nodes { state } } reviewThreads(first: 9) { nodes { path } }"

    assert pull_query(github, fields) == {
        "reviews": {"nodes": [{"state": "PENDING"}]},
        "reviewThreads": {"nodes": [{"path": "f.txt"}]},
    }
    nothing: Json = {"reviews": {"nodes": []}, "reviewThreads": {"nodes": []}}
    assert pull_query(github, fields, "person") == nothing
    assert ask(github, "GET", "/pulls/7/comments").json() == []


def test_graphql_leaves_out_what_is_not_to_be_included(github: GitHubServer) -> None:
    text = (
        "query Q($wanted: Boolean!) { viewer { login }"
        ' repository(owner: "acme", name: "widgets") @include(if: $wanted)'
        " { pullRequest(number: 7) { headRefOid } } }"
    )

    assert query(github, text, wanted=False).json()["data"].keys() == {"viewer"}
    assert query(github, text, wanted=True).json()["data"].keys() == {"viewer", "repository"}


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ("colour", "'colour' doesn't exist"),
        ("headRefOid { x }", "selection of headRefOid"),
        ("reviews(first: 9)", "selection of reviews"),
        ("reviews(first: 101) { nodes { id } }", "between 1 and 100"),
        ("reviews { nodes { id } }", "between 1 and 100"),
        ("reviews(first: 9) { nodes { databaseId } }", "'databaseId' doesn't exist"),
    ],
)
def test_graphql_refuses(github: GitHubServer, fields: str, word: str) -> None:
    github.add_review(7, PERSON, "x", "COMMENTED")

    answer = pull_query(github, fields)

    assert answer["data"] is None
    assert word in answer["errors"][0]["message"]


def test_threads_tell_who_answered(github: GitHubServer) -> None:
    comment = {"path": "f.txt", "body": "x", "line": 5}
    number = post_review(github, event="COMMENT", comments=[comment])["id"]
    (first,) = ask(github, "GET", f"/pulls/7/reviews/{number}/comments").json()
    github.answer_comment(7, first, "no", "octocat", "MEMBER")
    github.api.pulls[7].resolved.add(first["id"])

    (thread,) = pull_query(
        github,
        "reviewThreads(first: 9) { nodes { isResolved path comments(first: 9) { nodes {"
        " viewerDidAuthor body authorAssociation author { login }"
        " pullRequestReview { fullDatabaseId } } } } }",
    )["reviewThreads"]["nodes"]
    answers = ask(github, "GET", "/pulls/7/comments").json()

    assert (thread["isResolved"], thread["path"]) == (True, "f.txt")
    ours, theirs = thread["comments"]["nodes"]
    assert (ours["viewerDidAuthor"], ours["author"]) == (True, {"login": "github-actions"})
    assert ours["pullRequestReview"] == {"fullDatabaseId": str(number)}
    assert (theirs["viewerDidAuthor"], theirs["authorAssociation"]) == (False, "MEMBER")
    assert [answer.get("in_reply_to_id") for answer in answers] == [None, first["id"]]


def minimize(github: GitHubServer, node: str, token: str = "ghs_standin") -> Json:
    text = (
        "mutation M($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED})"
        " { minimizedComment { isMinimized } } }"
    )
    found: Json = query(github, text, token, id=node).json()
    return found


def test_review_is_minimized_by_those_who_may_write(github: GitHubServer) -> None:
    github.grant("weak", PERSON, {"pull_requests": "read"}, installation=True)
    node = post_review(github, event="COMMENT")["node_id"]

    assert minimize(github, node, "weak")["errors"][0]["type"] == "FORBIDDEN"
    assert not github.reviews(7)[0].minimized
    assert minimize(github, "PRR_1")["errors"][0]["type"] == "NOT_FOUND"
    assert minimize(github, node)["data"]["minimizeComment"]["minimizedComment"]["isMinimized"]
    assert github.reviews(7)[0].minimized
    github.disable("write-permission")
    assert minimize(github, node, "weak")["data"]


def test_server_without_graphql(bare: Path) -> None:
    with GitHubServer(bare, graphql=False) as github:
        assert query(github, "{ viewer { login } }").status_code == 404


# --- faults, records, violations -----------------------------------------------------------


def test_fault_hits_the_next_matching_call_once(github: GitHubServer) -> None:
    github.fault("GET", r"/pulls/7$", 503, {"message": "no"}, {"Retry-After": "1"})

    assert ask(github, "GET", "/pulls/7/commits").status_code == 200
    faulty = ask(github, "GET", "/pulls/7")
    assert (faulty.status_code, faulty.headers["Retry-After"]) == (503, "1")
    assert ask(github, "GET", "/pulls/7").status_code == 200


def test_dropped_answer_after_the_effect(github: GitHubServer) -> None:
    github.fault("POST", "/reviews", drop=True, after_effect=True)

    with pytest.raises(requests.ConnectionError):
        review()(github)
    assert len(github.reviews(7)) == 1


def test_requests_are_recorded(github: GitHubServer) -> None:
    review()(github)

    (record,) = github.calls("POST", "/reviews$")
    assert record.path == "/repos/acme/widgets/pulls/7/reviews"
    assert record.json == {"body": "b", "event": "COMMENT"}
    assert record.headers["authorization"] == "token ghs_standin"


def test_leaving_raises_for_violations(bare: Path) -> None:
    def run() -> None:
        with GitHubServer(bare) as github:
            github.open_pull(7)
            review(colour="red")(github)

    with pytest.raises(AssertionError, match="colour"):
        run()


# --- git over HTTP -------------------------------------------------------------------------


def fetch(github: GitHubServer, folder: Path, token: str, *what: str) -> int:
    header = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    done = subprocess.run(
        [
            *("git", "-C", str(folder)),
            *("-c", f"http.extraHeader=Authorization: basic {header}"),
            *("fetch", "-q", "--depth=1", "--filter=blob:none"),
            f"{github.url}/acme/widgets.git",
            *what,
        ],
        env={**clean_environment(), "GIT_TERMINAL_PROMPT": "0"},
        capture_output=True,
        check=False,
    )
    return done.returncode


def test_git_fetches_any_commit_without_blobs(github: GitHubServer, tmp_path: Path) -> None:
    base = github.api.merge_base(github.api.pulls[7])

    assert fetch(github, tmp_path / "a.git", github.token, base, "refs/pull/7/head") == 0
    kinds = subprocess.run(
        ["git", "-C", str(tmp_path / "a.git"), "cat-file", "--batch-all-objects", "--batch-check"],
        capture_output=True,
        check=True,
    ).stdout
    assert base.encode() in kinds
    assert b" blob " not in kinds


def test_git_refuses_a_wrong_token(github: GitHubServer, tmp_path: Path) -> None:
    assert fetch(github, tmp_path / "a.git", "wrong", "refs/pull/7/head") != 0


def test_enterprise_prefix(bare: Path) -> None:
    with GitHubServer(bare, prefix="/api/v3") as github:
        github.open_pull(7)
        headers = {"Authorization": f"token {github.token}"}
        query = {"query": "{ viewer { login } }"}
        graphql = requests.post(
            f"{github.url}/api/graphql", json=query, headers=headers, timeout=10
        ).json()

        assert ask(github, "GET", "/pulls/7").json()["number"] == 7
        assert graphql == {"data": {"viewer": {"login": "github-actions[bot]"}}}
        bare_path = f"{github.url}/repos/acme/widgets/pulls/7"
        assert requests.get(bare_path, headers=headers, timeout=10).status_code == 404


def test_event_payload_matches_the_api(github: GitHubServer) -> None:
    payload = github.event(7, "synchronize")

    assert payload["pull_request"] == ask(github, "GET", "/pulls/7").json()
    assert json.loads(json.dumps(payload))["action"] == "synchronize"
