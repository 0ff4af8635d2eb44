"""A pull request that grows push by push, and a model that finds the bugs that it is shown."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.standins.github import GitHubServer
from tests.standins.github_sample import Files, NewCommit, add_commits, bare_repository
from tests.standins.github_shapes import Json, Pull, StoredReview
from tests.standins.models import ModelServer, Reply, Request, Script, answer
from tests.standins.runner import Ended, Runner, model_inputs

NUMBER = 7
SETTINGS = ".github/pr-review.yml"


@dataclass(frozen=True)
class Bug:
    """A bug on one line of a file of its own, as an agent tells it."""

    path: str
    line: int
    quote: str
    severity: str
    title: str
    before: str = ""
    after: str = ""

    @property
    def file(self) -> Files:
        return {self.path: f"{self.before}    {self.quote}\n{self.after}".encode()}

    @property
    def finding(self) -> Mapping[str, object]:
        return {
            "path": self.path,
            "start_line": self.line,
            "end_line": self.line,
            "side": "RIGHT",
            "severity": self.severity,
            "confidence": "high",
            "category": "logic",
            "title": self.title,
            "body": f"{self.title}, and nobody expects that.",
            "quote": self.quote,
            "suggestion": None,
        }


FIRST = Bug(
    path="shop/mean.py",
    line=2,
    quote="return sum(amounts) / len(amounts)",
    severity="high",
    title="No amounts at all divide by zero",
    before="def mean(amounts):\n",
)
SECOND = Bug(
    path="shop/notes.py",
    line=3,
    quote="return open(place).read()",
    severity="low",
    title="The notes stay open",
    before='def notes(place):\n    """What somebody wrote down."""\n',
)
BUGS = (FIRST, SECOND)


def finds(request: Request) -> Reply:
    """What a model says that finds each bug whose line it is shown."""
    text = prompt(request)
    return answer([bug.finding for bug in BUGS if bug.quote in text])


def prompt(request: Request) -> str:
    return "\n".join(str(message["content"]) for message in request.messages)


@dataclass
class Story:
    """The pull request, and the job that reviews it."""

    github: GitHubServer
    model: ModelServer
    runner: Runner

    def push(self, files: Files, message: str = "More") -> str:
        """Adds a commit to the pull request's branch; its id."""
        add_commits(self.github.bare, [NewCommit("feature", message, files, start="feature^0")])
        return self.github.push(NUMBER, "feature")

    def merge(self, branch: str) -> str:
        """Merges a branch into the pull request's, as the button that updates it does; its id."""
        git, pull = self.github.api.repository, self.github.api.pulls[NUMBER]
        other = git.resolve(branch)
        assert other
        tree = git.git("merge-tree", "--write-tree", pull.head_sha, other).decode().strip()
        person = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
        parents = ("-p", pull.head_sha, "-p", other)
        made = git.git(*person, "commit-tree", tree, *parents, "-m", f"Merge {branch}").decode()
        git.point("refs/heads/feature", made.strip())
        return self.github.push(NUMBER, "feature")

    def review(self, action: str = "synchronize", script: Script = finds) -> Ended:
        """Runs the action on what stands there now."""
        self.model.play(script)
        return self.runner.run(self.github.event(NUMBER, action))

    def command(self, text: str, author: str = "octocat") -> Ended:
        """Runs the action on a comment by somebody who may write."""
        self.model.play(finds)
        self.github.permit(author, "write")
        comment = self.github.comment(NUMBER, text, author)
        issue = {"number": NUMBER, "state": "open", "pull_request": {"url": "x"}}
        repository = self.github.event(NUMBER)["repository"]
        event = {"action": "created", "issue": issue, "comment": comment, "repository": repository}
        return self.runner.run(event, "issue_comment")

    def shown(self, bug: Bug) -> bool:
        """Whether the model was shown a bug's line in the last run."""
        return any(bug.quote in prompt(request) for request in self.model.requests)

    @property
    def reviews(self) -> list[StoredReview]:
        """The reviews of our own actor, whoever of those who are the same bot wrote them."""
        return [r for r in self.github.reviews(NUMBER) if r.user == self.github.actor]

    @property
    def mutations(self) -> list[Json]:
        """What was changed by GraphQL so far, as it was asked for."""
        posts = self.github.calls("POST", r"/graphql$")
        return [post.json for post in posts if "mutation" in post.json["query"]]


@contextmanager
def opened(folder: Path, model: ModelServer, bare: Path | None = None) -> Iterator[Story]:
    """The pull request when it has just been opened, with the first bug."""
    with GitHubServer(bare or repository(folder / "shop.git")) as github:
        github.open_pull(NUMBER)
        inputs = {**model_inputs(model.url), "agents": "bugs", "fail-on": "high"}
        yield Story(github, model, Runner(folder / "job", github, inputs))


@dataclass(frozen=True)
class Reviewed:
    """The repository, and what stood on the pull request after a first review of it."""

    bare: Path
    pull: Pull

    @classmethod
    def first(cls, folder: Path, model: ModelServer) -> Reviewed:
        """By a run of the action, whose review is about to be built on again and again."""
        with opened(folder, model) as story:
            ended = story.review("opened")
            assert (ended.code, story.shown(FIRST)) == (10, True), ended.log
            return cls(story.github.bare, story.github.api.pulls[NUMBER])

    @contextmanager
    def again(self, folder: Path, model: ModelServer) -> Iterator[Story]:
        """A copy of it all. Commits have the same ids wherever they are made, so the review's
        marker holds for them."""
        bare = shutil.copytree(self.bare, folder / "shop.git")
        with opened(folder, model, bare) as story:
            story.github.api.pulls[NUMBER] = copy.deepcopy(self.pull)
            story.github.api.ids = count(201)
            yield story


def repository(folder: Path) -> Path:
    """`main`, a `feature` with the first bug, and a `release` that left `main` before it."""
    return bare_repository(
        folder,
        [
            NewCommit("main", "Begin", {"shop/money.py": b"CENTS = 100\n"}),
            NewCommit("release", "Release", {"shop/release.py": b"NAME = 'one'\n"}, start="main"),
            NewCommit("main", "Go on", {"shop/money.py": b"CENTS = 100\nEURO = 1\n"}),
            NewCommit("feature", "Tell the mean", FIRST.file, start="main"),
        ],
    )
