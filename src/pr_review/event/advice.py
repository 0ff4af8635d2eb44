"""What to do where a run gets no secrets and a token that cannot write: a workflow to copy.

https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
https://docs.github.com/code-security/dependabot/working-with-dependabot/automating-dependabot-with-github-actions
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pr_review.domain.pull_request import PullRequest
from pr_review.event.commands import COMMAND

_LABEL = "review"
_LONGEST = 200
_EXAMPLE = ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY")
_PLAIN = re.compile(r"[A-Za-z0-9][\w./:@-]*", re.ASCII)

_FORKS = """\
### To review pull requests from forks

GitHub gives runs of `pull_request` from forks no secrets, and a token that can only read.

- Where the workflow also listens to `issue_comment`, somebody with write access can comment
  `{command}`: such a run has both.
- Or add the workflow below: it reviews what somebody with the right to label marked as `{label}`.
  **Never add a checkout to it**: with `pull_request_target` a fork's code would meet your secrets.
  The action fetches the change itself and runs none of it.

```yaml
name: Review of forks
on:
  pull_request_target:
    types: [labeled] # with synchronize, each later push to a labelled one, too
permissions:
  contents: read
  pull-requests: write
jobs:
  review:
    if: github.event.pull_request.head.repo.full_name != github.repository
    runs-on: ubuntu-latest
    concurrency:
      group: review-${{{{ github.event.pull_request.number }}}}
    steps:
      - uses: {uses}
        with:
{inputs}
          require-label: {label}
```
"""

_DEPENDABOT = """\
### To review pull requests by Dependabot

Runs that Dependabot starts get its own secrets alone, and a token that can only read unless the
workflow says more.{store}

```yaml
name: Review of Dependabot
on:
  pull_request:
permissions:
  contents: read
  pull-requests: write
jobs:
  review:
    if: github.event.pull_request.user.login == 'dependabot[bot]'
    runs-on: ubuntu-latest
    steps:
      - uses: {uses}
        with:
{inputs}
          bots: dependabot[bot]
```
"""
_STORE = (
    " Store the key as a Dependabot secret named `{secret}`, beside the one for\n"
    "Actions: Settings, Secrets and variables, Dependabot."
)


@dataclass(frozen=True, slots=True)
class Use:
    """How the present workflow uses the action: as `owner/name@commit`, with a model, and with
    the variable that usually holds its provider's key (empty if it needs none). Whatever is
    empty or odd gives way to an example."""

    action: str
    model: str
    secret: str


def gets_nothing(pull_request: PullRequest, event: str) -> bool:
    """Whether GitHub keeps secrets and write access from this run, whatever the workflow says."""
    return event == "pull_request" and (pull_request.fork or by_dependabot(pull_request))


def advice(pull_request: PullRequest, use: Use) -> str:
    """Markdown for the job summary: a whole workflow for this kind of pull request; empty if
    there is none to give."""
    if pull_request.fork:
        text = _FORKS
    elif by_dependabot(pull_request):
        text = _DEPENDABOT
    else:
        return ""
    model, secret = (use.model, use.secret) if _plain(use.model) else _EXAMPLE
    return text.format(
        command=COMMAND,
        label=_LABEL,
        uses=_plain(use.action) or "OWNER/pr-review@COMMIT",
        inputs="\n".join(f"          {line}" for line in _inputs(model, secret)),
        store=_STORE.format(secret=secret) if secret else "",
    )


def _inputs(model: str, secret: str) -> list[str]:
    key = [f"api-key: ${{{{ secrets.{secret} }}}}"] if secret else []
    return [f"model: {model}", *key]


def _plain(value: str) -> str:
    """A value that can stand in YAML without quotes, else nothing: a fork chooses what its
    workflow holds."""
    return value if _PLAIN.fullmatch(value) and len(value) <= _LONGEST else ""


def by_dependabot(pull_request: PullRequest) -> bool:
    """Whether the author is Dependabot, whose runs get Dependabot's secrets alone."""
    return pull_request.author.lower().removesuffix("[bot]") == "dependabot"
