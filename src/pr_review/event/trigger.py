"""Is this event about a pull request that is ours to review?

`decide` answers from the payload alone, `permit` asks GitHub whether a commenter may spend,
`eligible` looks at the pull request as the API tells it. A no always carries its reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pr_review.domain.pull_request import PullRequest
from pr_review.errors import EventError
from pr_review.event.commands import COMMAND, UNKNOWN, Command, command, is_command
from pr_review.event.payload import Facts, Json, identifier, is_bot, member, read_number, text
from pr_review.event.policy import INSIDERS, EventPolicy
from pr_review.event.ports import PullRequests


@dataclass(frozen=True, slots=True)
class Ours:
    """Pull request `number` is to be reviewed.

    `comment_id` and `commenter` are set when a comment asked for it: `permit` must agree.
    `full` asks for the whole change, whatever was reviewed before; `help` for an answer and no
    review. `dispatched` tells that a person started the workflow for it.
    """

    number: int
    comment_id: int | None = None
    commenter: str = ""
    full: bool = False
    help: bool = False
    dispatched: bool = False

    @property
    def requested(self) -> bool:
        """Whether a person asked for this very review; only who may write can."""
        return self.dispatched or bool(self.commenter)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nothing to review here; `reason` is one line for people.

    `number` names the pull request where other settings would make it ours. `advice` is
    Markdown for the job summary.
    """

    reason: str
    number: int | None = None
    advice: str = ""


Decision = Ours | Skipped

_NEW_CODE = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})
_DISPATCH_INPUTS = frozenset({"pull-request", "pull_request", "pr-number", "pr_number"})
_WITHOUT_PULL_REQUEST = {
    "merge_group": "a merge queue holds pull requests that were reviewed before",
    "workflow_run": "a workflow_run event does not name a pull request reliably; "
    "set pull-request to review one",
}


def decide(event: str, payload: Json, policy: EventPolicy) -> Decision:
    """What the event asks for, from its payload alone.

    Raises `EventError` if a pull request event does not hold its pull request, or if the
    number given by hand is none.
    """
    if event in ("pull_request", "pull_request_target"):
        return _of_pull_request(event, payload, policy)
    if event == "issue_comment":
        return _of_comment(payload)
    dispatched = event == "workflow_dispatch"
    number = (_dispatched(payload) if dispatched else None) or policy.pull_request
    if number is not None:
        return Ours(number, dispatched=dispatched)
    return Skipped(_no_number(event))


def permit(ours: Ours, pull_requests: PullRequests) -> Decision:
    """The same decision, unless a comment asked for it and its author may not write.

    Raises `GitHubError` if GitHub does not answer: no answer is no permission.
    """
    if ours.commenter and not pull_requests.may_write(ours.commenter):
        return Skipped(f"{COMMAND} is for people with write access to the repository")
    return ours


def eligible(pull_request: PullRequest, policy: EventPolicy, *, requested: bool = False) -> str:
    """Why a pull request is not reviewed as it stands now; empty if it is.

    What a person `requested` who may write is reviewed whoever the author is, and as a draft.
    """
    facts = Facts.of_pull_request(pull_request)
    reason = _reason(facts, policy, requested=requested)
    return reason or ("" if requested else _stranger(pull_request, facts, policy))


def _of_pull_request(event: str, payload: Json, policy: EventPolicy) -> Decision:
    pull_request = member(payload, "pull_request")
    number = identifier(pull_request, "number")
    if number is None:
        raise EventError(
            f"the {event} event holds no pull request",
            remedy="GITHUB_EVENT_PATH must be the payload of the event that started the workflow",
        )
    action = text(payload, "action")
    facts = Facts.of_payload(pull_request)
    if facts.closed or action == "closed":
        return Skipped("the pull request is closed")
    if reason := _unmoved(action, payload, policy):
        return Skipped(reason, number if action == "labeled" else None)
    facts = replace(facts, draft=facts.draft and action != "ready_for_review")
    reason = _reason(facts, policy)
    return Skipped(reason, number) if reason else Ours(number)


def _unmoved(action: str, payload: Json, policy: EventPolicy) -> str:
    """Why an action brings nothing new to review; empty if it does."""
    if action in _NEW_CODE:
        return ""
    if action == "edited":
        return "" if member(member(payload, "changes"), "base") else "neither code nor base changed"
    if action == "labeled" and policy.require_label:
        added = text(member(payload, "label"), "name")
        return "" if _same(added, policy.require_label) else "another label than the required one"
    return "this action on a pull request brings nothing new to review"


def _of_comment(payload: Json) -> Decision:
    issue, comment = member(payload, "issue"), member(payload, "comment")
    user = member(comment, "user")
    if not member(issue, "pull_request"):
        return Skipped("the comment is on an issue, not on a pull request")
    if text(payload, "action") != "created":
        return Skipped("the comment is not new")
    if is_bot(user):
        return Skipped("the comment is by a bot")
    body = text(comment, "body")
    if not is_command(body):
        return Skipped(f"the comment does not begin with {COMMAND}")
    if (said := command(body)) is None:
        return Skipped(UNKNOWN)
    if text(issue, "state") == "closed":
        return Skipped("the pull request is closed")
    number, comment_id = identifier(issue, "number"), identifier(comment, "id")
    if number is None or comment_id is None:
        raise EventError(
            "the issue_comment event does not say which pull request or comment it is about",
            remedy="GITHUB_EVENT_PATH must be the payload of the event that started the workflow",
        )
    if not (commenter := text(user, "login")):
        return Skipped("the commenter is unknown")
    return Ours(number, comment_id, commenter, full=said is Command.FULL, help=said is Command.HELP)


def _dispatched(payload: Json) -> int | None:
    """The number that a workflow_dispatch event was started with."""
    repository = text(member(payload, "repository"), "full_name")
    inputs = member(payload, "inputs")
    for name in sorted(_DISPATCH_INPUTS & inputs.keys()):
        given = inputs[name]
        value = str(given) if type(given) is int else given
        if isinstance(value, str) and value.strip():
            return read_number(value, repository)
    return None


def _no_number(event: str) -> str:
    if event == "workflow_dispatch":
        return "no pull request was named; fill the input pull-request"
    return _WITHOUT_PULL_REQUEST.get(event, f"the event {event} is not about a pull request")


def _reason(facts: Facts, policy: EventPolicy, *, requested: bool = False) -> str:
    labels = {label.casefold() for label in facts.labels}
    unwanted = [label for label in policy.skip_labels if label.casefold() in labels]
    if facts.closed:
        return "the pull request is closed"
    if not requested and (reason := _unasked(facts, policy)):
        return reason
    if unwanted:
        return f"the pull request has the label {unwanted[0]}"
    if policy.require_label and policy.require_label.casefold() not in labels:
        return f"the pull request does not have the label {policy.require_label}"
    return ""


def _unasked(facts: Facts, policy: EventPolicy) -> str:
    """Why a pull request is not reviewed unless a person asks; empty if it is."""
    if facts.draft and not policy.drafts:
        return "the pull request is a draft; drafts: true reviews it"
    if facts.author_is_bot:
        named = any(_same_bot(facts.author, bot) for bot in policy.bots)
        return "" if named else "the author is a bot; name its login in bots to review it"
    return ""


def _stranger(pull_request: PullRequest, facts: Facts, policy: EventPolicy) -> str:
    """Why the author's pull requests are not reviewed; empty if they are.

    From the API alone: events call a member whose membership is private a contributor, and so
    does the API to a token that may not see it. A branch of the repository itself was pushed
    by somebody with write access. https://github.com/orgs/community/discussions/18690
    """
    wanted = policy.associations
    if wanted is None or facts.author_is_bot or pull_request.author_association in wanted:
        return ""
    if wanted & INSIDERS and not pull_request.fork:
        return ""
    return (
        f"the author's association is none of author-associations; {COMMAND} by somebody "
        "with write access reviews the pull request all the same"
    )


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _same_bot(one: str, other: str) -> bool:
    return _same(one.removesuffix("[bot]"), other.removesuffix("[bot]"))
