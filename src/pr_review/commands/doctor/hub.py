"""GitHub: reached, and what the token may do, as far as reading tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from pr_review import settings as configuration
from pr_review.adapters.actions.environment import (
    DEFAULT_API_URL,
    RunnerEnvironment,
    in_actions,
    read_event,
)
from pr_review.adapters.github import Client, GitHubPullRequests
from pr_review.adapters.github.access import Access, access
from pr_review.commands.doctor.diagnosis import (
    Diagnosis,
    Patient,
    Topic,
    Visit,
    ok,
    problem,
    skipped,
    warning,
)
from pr_review.commands.reviewing import NO_RIGHTS
from pr_review.domain.pull_request import PullRequest, Repository
from pr_review.errors import GitHubError, PrReviewError
from pr_review.event.advice import gets_nothing
from pr_review.event.payload import identifier, member, repository_of
from pr_review.event.trigger import eligible
from pr_review.settings import FILE

_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_LITTLE = 100
_NEVER_TOLD = (
    "whether the token may post cannot be told by reading: a run tries it before it asks a model"
)
_NEEDED = "give the job `pull-requests: write`"


def with_file(patient: Patient) -> Patient:
    """The same with the files that the action would read, through the API; where that cannot be
    asked, `github` tells why. Raises `ConfigurationError` for wrong ones.
    """
    found = visit(patient)
    patient = replace(patient, visit=found)
    if not (found.client and found.branch):
        return patient
    layer = configuration.file(found.file, place=f"{FILE} of {found.branch}")
    given = replace(
        patient.given,
        layers=(*patient.given.layers, layer),
        read_at=found.branch,
        read=partial(GitHubPullRequests(found.client).base_file, found.branch),
    )
    return replace(patient, given=given, settings=given.settings())


def visit(patient: Patient) -> Visit:
    """Reads what a run reads before anything else."""
    token, _ = _token(patient)
    if not in_actions(patient.environ) and not (token and _repository(patient)):
        lacks = "no repository is named" if token else f"no token is in {' or '.join(_TOKENS)}"
        remedy = f"set {_TOKENS[0]}, and GITHUB_REPOSITORY or --pull-request to an address"
        return Visit(
            unable=skipped(Topic.GITHUB, f"{lacks}, and local asks nothing of GitHub", remedy)
        )
    try:
        client = _client(patient, token)
        seen = access(client)
    except PrReviewError as error:
        return Visit(unable=problem(Topic.GITHUB, error))
    pulls = GitHubPullRequests(client)
    try:
        number = _number(patient, str(client.repository))
        pull = pulls.pull_request(number) if number else None
        branch = pull.base_ref if pull else seen.default_branch
        return Visit(client, seen, pull, branch, pulls.base_file(branch, FILE))
    except PrReviewError as error:
        return Visit(client, seen, unable=problem(Topic.RIGHTS, error))


def github(patient: Patient) -> Iterator[Diagnosis]:
    """The repository, the rate limit, and a pull request if one is named."""
    found = patient.visit or visit(patient)
    if found.client and found.seen:
        where = _token(patient)[1]
        yield ok(Topic.GITHUB, found.client.place(f"the token of {where} reads"))
        yield from _limit(found.seen)
        yield _writing(found.seen)
    if found.unable:
        yield found.unable
        return
    there = "is not there" if found.file is None else "is there"
    yield ok(Topic.RIGHTS, f"contents can be read: {FILE} of {found.branch} {there}")
    yield from _pull(patient, found.pull)


def _token(patient: Patient) -> tuple[str, str]:
    """A token and where it stands; none of its own is a flag."""
    if patient.settings.token:
        return patient.settings.token, "github-token"
    found = [] if in_actions(patient.environ) else [n for n in _TOKENS if patient.environ.get(n)]
    return (patient.environ[found[0]], found[0]) if found else ("", "github-token")


def _repository(patient: Patient) -> str:
    named = repository_of(patient.settings.pull_request)
    return patient.environ.get("GITHUB_REPOSITORY", "").strip() or named


def _client(patient: Patient, token: str) -> Client:
    environ = patient.environ
    if in_actions(environ):
        runner = RunnerEnvironment.of(environ)
        url, named = runner.api_url, runner.repository
    else:
        url = environ.get("GITHUB_API_URL") or DEFAULT_API_URL
        owner, _, name = _repository(patient).partition("/")
        named = Repository(owner, name)
    return Client(
        url, token, named, ca_bundle=patient.bundle, timeout=patient.seconds, max_wait=0.0
    )


def _limit(seen: Access) -> Iterator[Diagnosis]:
    if seen.remaining is None or seen.limit is None:
        return
    text = f"{seen.remaining:,} of {seen.limit:,} requests are left in this hour"
    if seen.remaining < _LITTLE:
        yield warning(Topic.RATE_LIMIT, text, "run again later, or with a token of your own")
    else:
        yield ok(Topic.RATE_LIMIT, text)


def _writing(seen: Access) -> Diagnosis:
    match seen.may_post:
        case True:
            return ok(
                Topic.RIGHTS, f"the token's scopes allow to post: {', '.join(seen.scopes or ())}"
            )
        case False:
            refused = GitHubError("the token's scopes allow no review", remedy="add the scope repo")
            return problem(Topic.RIGHTS, refused)
        case _:
            return skipped(Topic.RIGHTS, _NEVER_TOLD, _NEEDED)


def _number(patient: Patient, repository: str) -> int | None:
    """The pull request of the settings, else that of the event."""
    named = patient.settings.event_policy(repository).pull_request
    if named or not in_actions(patient.environ):
        return named
    payload = read_event(RunnerEnvironment.of(patient.environ).event_path)
    return identifier(member(payload, "pull_request"), "number")


def _pull(patient: Patient, pull: PullRequest | None) -> Iterator[Diagnosis]:
    """Whether it would be reviewed as it stands."""
    topic = Topic.PULL_REQUEST
    if pull is None:
        yield skipped(topic, "none is named", "name one with --pull-request")
        return
    about = f"{pull.repository}#{pull.number}"
    if gets_nothing(pull, patient.environ.get("GITHUB_EVENT_NAME", "")):
        remedy = "see the workflow that the job summary of a run shows"
        yield warning(topic, f"{about}: {NO_RIGHTS}", remedy)
    if reason := eligible(pull, patient.settings.event_policy(str(pull.repository))):
        yield warning(topic, f"{about} would be skipped: {reason}")
    else:
        yield ok(topic, f"{about} would be reviewed")
