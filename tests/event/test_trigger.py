"""Which events are ours: every payload shape that was reported, and the policies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from pr_review.domain.pull_request import Brief, PullRequest, Repository
from pr_review.errors import ConfigurationError, EventError, GitHubError
from pr_review.event.commands import Command, help_text, is_command
from pr_review.event.payload import read_number
from pr_review.event.policy import EventPolicy, associations
from pr_review.event.trigger import Decision, Ours, Skipped, decide, eligible, permit
from tests.shared import shared

CASES = "cases/b11-event-payload-shapes"
SHAPES = [
    "pull_request.opened",
    "pull_request.fork",
    "pull_request.closed",
    "pull_request.edited_base",
    "pull_request.edited_title",
    "pull_request.draft",
    "pull_request.ready_for_review",
    "pull_request.dependabot",
    "pull_request.nulls",
    "pull_request_target.fork",
    "issue_comment.on_pr",
    "issue_comment.on_issue",
    "issue_comment.by_bot",
    "issue_comment.stranger",
    "workflow_dispatch.number",
    "workflow_dispatch.odd",
    "workflow_dispatch.blank",
    "workflow_dispatch.null_inputs",
    "merge_group",
    "workflow_run.fork",
    "push",
    "schedule",
    "empty",
]
POLICY = EventPolicy()
MEMBERS = EventPolicy(associations=frozenset({"MEMBER", "OWNER"}))


@dataclass
class Repo:
    """A repository where `writers` have write access; the other calls are never made here."""

    writers: frozenset[str] = frozenset({"octo"})
    down: bool = False
    asked: list[str] = field(default_factory=list)

    def may_write(self, login: str) -> bool:
        self.asked.append(login)
        if self.down:
            raise GitHubError("GitHub did not answer")
        return login in self.writers

    def pull_request(self, number: int) -> PullRequest:
        raise NotImplementedError

    def brief(self, pull_request: PullRequest) -> Brief:
        raise NotImplementedError

    def acknowledge(self, comment_id: int) -> str:
        raise NotImplementedError

    def reply(self, number: int, text: str) -> None:
        raise NotImplementedError

    def base_file(self, branch: str, path: str) -> str | None:
        raise NotImplementedError


def outcome(event: str, payload: dict[str, Any], policy: EventPolicy = POLICY) -> Decision:
    decision = decide(event, payload, policy)
    return permit(decision, Repo()) if isinstance(decision, Ours) else decision


def pull_request(**more: Any) -> dict[str, Any]:
    action = more.pop("action", "opened")
    event = more.pop("event", {})
    user = {"login": "octo", "type": "User"}
    known = {"number": 7, "state": "open", "draft": False, "user": user, "labels": []}
    return {"action": action, "number": 7, "pull_request": known | more, **event}


def comment(body: object = "/review", **more: Any) -> dict[str, Any]:
    return {
        "action": "created",
        "issue": {"number": 7, "state": "open", "pull_request": {"url": "u"}},
        "comment": {"id": 9, "body": body, "user": {"login": "octo", "type": "User"}},
    } | more


def test_b11_lists_every_shape() -> None:
    assert set(json.loads(shared(f"{CASES}/expected.json").read_text())) == set(SHAPES)


@pytest.mark.parametrize("shape", SHAPES)
def test_b11_event_payload_shapes(shape: str) -> None:
    payload = json.loads(shared(f"{CASES}/event.{shape}.json").read_text())
    expected = json.loads(shared(f"{CASES}/expected.json").read_text())[shape]
    event = expected["GITHUB_EVENT_NAME"]
    if shape == "empty":
        with pytest.raises(EventError) as caught:
            outcome(event, payload)
        assert caught.value.exit_code == 3
        return
    decision = outcome(event, payload)
    assert isinstance(decision, Ours) is expected["run"], decision
    if isinstance(decision, Ours):
        assert decision.number == expected["number"]
    else:
        assert decision.reason


def test_b11_drafts_are_reviewed_when_asked_for() -> None:
    payload = json.loads(shared(f"{CASES}/event.pull_request.draft.json").read_text())
    assert outcome("pull_request", payload, EventPolicy(drafts=True)) == Ours(7)


def test_b11_stranger_is_asked_about_by_login() -> None:
    payload = json.loads(shared(f"{CASES}/event.issue_comment.stranger.json").read_text())
    decision = decide("issue_comment", payload, POLICY)
    assert decision == Ours(7, comment_id=9, commenter="drive-by")
    repo = Repo()
    assert permit(decision, repo) == Skipped(
        "/review is for people with write access to the repository"
    )
    assert repo.asked == ["drive-by"]


@pytest.mark.parametrize("run", range(5))
def test_b12_bots_are_known_by_the_author_not_by_the_actor(run: int) -> None:
    env = json.loads(shared("cases/b12-bots-and-missing-secrets/env.json").read_text())[run]
    author = env.get("PR_AUTHOR", "octo")
    kind = "Bot" if author == "Copilot" else "User"
    actor = {"sender": {"login": env["GITHUB_ACTOR"], "type": "Bot"}}
    payload = pull_request(user={"login": author, "type": kind}, event=actor)
    assert isinstance(outcome("pull_request", payload), Skipped) is ("PR_AUTHOR" in env)


def test_b13_null_fields() -> None:
    pull = json.loads(shared("cases/b13-null-fields/pull.json").read_text())
    payload = {"action": "opened", "pull_request": pull}
    assert outcome("pull_request", payload) == Ours(7)


@pytest.mark.parametrize(
    ("action", "ours"),
    [
        ("opened", True), ("reopened", True), ("synchronize", True), ("ready_for_review", True),
        ("assigned", False), ("labeled", False), ("unlabeled", False), ("closed", False),
        ("edited", False), ("", False), (None, False), (3, False),
    ],
)  # fmt: skip
def test_actions_that_bring_new_code(action: object, ours: bool) -> None:
    decision = outcome("pull_request", pull_request(action=action))
    assert isinstance(decision, Ours) is ours


def test_only_the_required_label_starts_a_review() -> None:
    policy = EventPolicy(require_label="Please review")
    labels = [{"name": "please review"}, {"name": "big"}]
    right = pull_request(
        action="labeled", labels=labels, event={"label": {"name": "please review"}}
    )
    other = pull_request(action="labeled", labels=labels, event={"label": {"name": "big"}})
    assert outcome("pull_request", right, policy) == Ours(7)
    assert outcome("pull_request", other, policy) == Skipped(
        "another label than the required one", 7
    )
    assert isinstance(outcome("pull_request", right, POLICY), Skipped)


def test_labels_decide() -> None:
    wip = pull_request(labels=[{"name": "WIP"}, None, {"name": None}])
    assert outcome("pull_request", wip, EventPolicy(skip_labels=("wip",))) == Skipped(
        "the pull request has the label wip", 7
    )
    assert outcome("pull_request", wip, EventPolicy(require_label="ai")) == Skipped(
        "the pull request does not have the label ai", 7
    )


def test_ready_for_review_wins_over_a_stale_draft_flag() -> None:
    payload = pull_request(action="ready_for_review", draft=True)
    assert outcome("pull_request", payload) == Ours(7)


@pytest.mark.parametrize("named", ["dependabot[bot]", "dependabot", "Dependabot[bot]"])
def test_named_bots_are_reviewed(named: str) -> None:
    payload = pull_request(user={"login": "dependabot[bot]", "type": "Bot"})
    assert outcome("pull_request", payload, EventPolicy(bots=(named,))) == Ours(7)
    assert isinstance(outcome("pull_request", payload, EventPolicy(bots=("renovate",))), Skipped)


@pytest.mark.parametrize(
    "body",
    ["/review", "/Review", "/review please!", "  /review\nthanks", "/review\r\n", "\n \r\n/review"],
)
def test_the_command_is_the_first_line(body: str) -> None:
    assert outcome("issue_comment", comment(body)) == Ours(7, 9, "octo")


def test_the_word_after_the_command_says_what_is_asked() -> None:
    full = outcome("issue_comment", comment("/review full\n\nAll of it, it was rebased."))
    assert full == Ours(7, 9, "octo", full=True)
    helped = outcome("issue_comment", comment("/review  HELP"))
    assert helped == Ours(7, 9, "octo", help=True)


@pytest.mark.parametrize(
    "body", ["/review quickly", "/review full now", "/review ignore", "/review -"]
)
def test_an_unknown_word_is_answered_with_the_commands_and_nobody_is_asked(body: str) -> None:
    decision = decide("issue_comment", comment(body), POLICY)
    assert isinstance(decision, Skipped)
    for name in ("/review,", "/review full,", "/review help;", "/review ignore"):
        assert name in decision.reason
    assert "quickly" not in decision.reason


def test_help_names_every_command_and_is_none() -> None:
    said = help_text()
    assert all(f"`{name}`" in said for name in [*Command, "/review ignore"])
    assert not is_command(said)


@pytest.mark.parametrize(
    "body",
    [
        "", None, 7, "/reviewer", "please /review", "> /review", "review", "    /review",
        "\t/review", "```\n/review\n```", "> said\n\n/review", "<!-- -->/review", "`/review`",
    ],
)  # fmt: skip
def test_other_comments_are_left_alone(body: object) -> None:
    assert isinstance(outcome("issue_comment", comment(body)), Skipped)


def test_comments_that_do_not_count() -> None:
    edited = comment(action="edited")
    closed = comment(issue={"number": 7, "state": "closed", "pull_request": {"url": "u"}})
    ghost = comment(comment={"id": 9, "body": "/review", "user": None})
    issue = comment(issue={"number": 7, "state": "open", "pull_request": None})
    for payload in (edited, closed, ghost, issue):
        assert isinstance(decide("issue_comment", payload, POLICY), Skipped)


@pytest.mark.parametrize(
    "user", [{"login": "helper", "type": "Bot"}, {"login": "helper[bot]", "type": "User"}]
)
def test_a_bot_cannot_ask(user: dict[str, str]) -> None:
    asked = comment(comment={"id": 9, "body": "/review", "user": user})
    assert decide("issue_comment", asked, POLICY) == Skipped("the comment is by a bot")


def test_a_closed_event_is_named_as_such() -> None:
    assert outcome("pull_request", pull_request(action="closed", state="closed")) == Skipped(
        "the pull request is closed"
    )


def test_a_push_to_a_closed_pull_request_is_left_alone() -> None:
    payload = pull_request(action="synchronize", state="closed")
    assert outcome("pull_request", payload) == Skipped("the pull request is closed")


def test_a_comment_on_a_pull_request_without_number_is_an_event_error() -> None:
    with pytest.raises(EventError):
        decide("issue_comment", comment(issue={"pull_request": {"url": "u"}}), POLICY)


def test_no_answer_is_no_permission() -> None:
    with pytest.raises(GitHubError):
        permit(Ours(7, 9, "octo"), Repo(down=True))


def test_nobody_is_asked_without_a_comment() -> None:
    repo = Repo(down=True)
    assert permit(Ours(7), repo) == Ours(7)
    assert repo.asked == []


@pytest.mark.parametrize("name", ["pull-request", "pull_request", "pr_number"])
@pytest.mark.parametrize("value", ["7", "#7", " #7 ", 7, "https://github.example/o/r/pull/7/files"])
def test_dispatch_inputs(name: str, value: object) -> None:
    payload = {"inputs": {name: value}, "repository": {"full_name": "O/r"}}
    assert outcome("workflow_dispatch", payload) == Ours(7, dispatched=True)


def test_the_setting_names_the_pull_request_where_the_event_does_not() -> None:
    policy = EventPolicy(pull_request=8)
    assert outcome("workflow_dispatch", {"inputs": None}, policy) == Ours(8, dispatched=True)
    named = {"inputs": {"pull-request": "7"}}
    assert outcome("workflow_dispatch", named, policy) == Ours(7, dispatched=True)
    assert outcome("workflow_run", {"workflow_run": {}}, policy) == Ours(8)
    assert outcome("pull_request", pull_request(), policy) == Ours(7)


@pytest.mark.parametrize(
    "value", ["seven", "0", "-7", "7.0", "7 8", "٧", "9" * 40, "https://h/o/r/issues/7", "##7"]
)
def test_a_number_that_is_none_is_an_event_error_without_its_value(value: str) -> None:
    with pytest.raises(EventError) as caught:
        outcome("workflow_dispatch", {"inputs": {"pull-request": value}})
    assert "seven" not in str(caught.value)


def test_an_address_in_another_repository_is_refused() -> None:
    assert read_number("https://h/o/r/pull/7") == 7
    with pytest.raises(EventError):
        read_number("https://h/x/r/pull/7", "o/r")


API = PullRequest(
    repository=Repository("o", "r"), number=7, title="", body="", author="octo",
    author_is_bot=False, base_ref="main", base_sha="b" * 40, head_ref="topic",
    head_sha="a" * 40, head_repository=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("pull", "policy", "word"),
    [
        (API, POLICY, ""),
        (replace(API, author=""), POLICY, ""),
        (replace(API, draft=True), POLICY, "draft"),
        (replace(API, draft=True), EventPolicy(drafts=True), ""),
        (replace(API, closed=True), POLICY, "closed"),
        (replace(API, author="Copilot", author_is_bot=True), POLICY, "bot"),
        (replace(API, author="renovate[bot]"), POLICY, "bot"),
        (replace(API, author="renovate[bot]"), EventPolicy(bots=("renovate",)), ""),
        (replace(API, labels=("wip",)), EventPolicy(skip_labels=("WIP",)), "label"),
        (API, EventPolicy(require_label="ai"), "label"),
        (replace(API, labels=("AI",)), EventPolicy(require_label="ai"), ""),
        (replace(API, author_association="NONE"), POLICY, ""),
        (replace(API, author_association="NONE"), MEMBERS, "association"),
        (replace(API, author_association=""), MEMBERS, "association"),
        (replace(API, author_association="MEMBER"), MEMBERS, ""),
        (replace(API, author="renovate[bot]"), replace(MEMBERS, bots=("renovate",)), ""),
    ],
)
def test_eligible(pull: PullRequest, policy: EventPolicy, word: str) -> None:
    reason = eligible(pull, policy)
    assert word in reason
    assert bool(reason) is bool(word)


@pytest.mark.parametrize(
    ("pull", "policy", "word"),
    [
        (replace(API, draft=True), POLICY, ""),
        (replace(API, author="renovate[bot]"), POLICY, ""),
        (replace(API, author_association="NONE"), MEMBERS, ""),
        (replace(API, closed=True), POLICY, "closed"),
        (replace(API, labels=("wip",)), EventPolicy(skip_labels=("wip",)), "label"),
        (API, EventPolicy(require_label="ai"), "label"),
    ],
)
def test_what_a_person_with_write_access_asks_for(
    pull: PullRequest, policy: EventPolicy, word: str
) -> None:
    """Who may spend has said so; labels are a word about the pull request, and hold."""
    reason = eligible(pull, policy, requested=True)
    assert word in reason
    assert bool(reason) is bool(word)


def test_a_request_is_by_a_comment_or_by_hand() -> None:
    assert Ours(7, 9, "octo").requested
    assert Ours(7, dispatched=True).requested
    assert not Ours(7).requested


def test_the_event_does_not_decide_who_the_author_is() -> None:
    """It calls a member whose membership is private a contributor."""
    payload = pull_request(author_association="CONTRIBUTOR")
    assert outcome("pull_request", payload, MEMBERS) == Ours(7)


def test_a_branch_of_the_repository_itself_is_no_stranger() -> None:
    inside = replace(API, author_association="CONTRIBUTOR", head_repository=API.repository)
    assert eligible(inside, MEMBERS) == ""
    assert eligible(inside, EventPolicy(associations=frozenset({"NONE"}))) != ""


def test_associations_are_read_in_any_case_and_all_stands_alone() -> None:
    assert associations(("All",)) is None
    named = associations(("owner", "First-Time contributor"))
    assert named == frozenset({"OWNER", "FIRST_TIME_CONTRIBUTOR"})
    for names in (("all", "OWNER"), ("MEMBRE",)):
        with pytest.raises(ConfigurationError, match="author-associations: there is no") as caught:
            associations(names)
        assert "'MEMBER'" in str(caught.value) or names[0] == "all"


JUNK: list[Any] = [None, True, 0, -1, 7, 1.5, "", "opened", "Bot", [], [[]], [None], {}, {"x": {}}]
SOUND = [
    ("pull_request", pull_request(labels=[{"name": "x"}], event={"changes": {"base": {}}})),
    ("pull_request_target", pull_request(action="edited", event={"changes": {"base": {"r": 1}}})),
    ("pull_request", pull_request(action="labeled", event={"label": {"name": "x"}})),
    ("issue_comment", comment()),
    ("workflow_dispatch", {"inputs": {"pull-request": "7"}, "repository": {"full_name": "o/r"}}),
]


def spoilt(value: Any) -> Iterator[Any]:
    """Every copy of a JSON value with one place in it missing or replaced by junk."""
    yield from JUNK
    if isinstance(value, dict):
        for key, inner in value.items():
            yield {k: v for k, v in value.items() if k != key}
            yield from (value | {key: bad} for bad in spoilt(inner))
    if isinstance(value, list):
        yield from ([bad] for bad in spoilt(value[0])) if value else ()


@pytest.mark.parametrize(("event", "payload"), SOUND)
def test_a_spoilt_payload_gives_a_decision_or_an_event_error(
    event: str, payload: dict[str, Any]
) -> None:
    seen: set[type] = set()
    for bad in spoilt(payload):
        if not isinstance(bad, dict):
            continue  # refused where the file is read
        try:
            decision = decide(event, bad, EventPolicy(require_label="x", skip_labels=("y",)))
        except EventError:
            seen.add(EventError)
            continue
        assert isinstance(decision, Skipped) or decision.number > 0
        seen.add(type(decision))
    assert {Skipped, EventError} <= seen
