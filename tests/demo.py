"""`make demo`: the action as GitHub runs it, on a sample pull request, against a stand-in.

The product is started as a process with an event file, `INPUT_*` and `GITHUB_*`. It fetches
the change with git from a local server and posts its review to the test suite's stand-in of
GitHub, from which it is read back here. Without a provider's key no model is asked; with a
key in the environment, or `MODEL=ollama/…`, that model is.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.demo_sample import NUMBER, TITLE, opened
from tests.standins.github import GitHubServer
from tests.standins.runner import Ended, Runner

_MODELS = {
    "ANTHROPIC_API_KEY": "anthropic/claude-sonnet-4-5",
    "OPENAI_API_KEY": "openai/gpt-5-mini",
    "GEMINI_API_KEY": "gemini/gemini-2.5-flash",
}


def main() -> int:
    """Runs the demo and prints what happened; returns the action's exit code."""
    with tempfile.TemporaryDirectory(prefix="pr-review-demo-") as folder:
        root = Path(folder)
        with opened(root) as github:
            print(f"A pull request is open on a local server: {TITLE!r}\n")
            model, keys = _model()
            print(f"--- the action runs, with model: {model} ---", flush=True)
            runner = Runner(root / "job", github, {"model": model}, dict(keys))
            ended = runner.run_as_process(github.event(NUMBER))
            _show(ended, github)
    return ended.code


def _model() -> tuple[str, Mapping[str, str]]:
    """The model to ask, and the variables that its provider needs."""
    keys = {name: os.environ[name] for name in _MODELS if os.environ.get(name)}
    chosen = os.environ.get("MODEL", "")
    if not chosen:
        chosen = next((model for name, model in _MODELS.items() if name in keys), "none")
    local = {n: v for n, v in os.environ.items() if n.startswith("OLLAMA_")}
    return chosen, {**keys, **local}


def _show(ended: Ended, github: GitHubServer) -> None:
    print(f"{ended.log}--- it ended with exit code {ended.code} ---\n\n--- outputs ---")
    for name, value in ended.outputs.items():
        print(f"{name}: {value}")
    for review in github.reviews(NUMBER):
        print(f"\n--- the review on pull request {NUMBER} ({review.state}) ---\n{review.body}")
        for comment in review.comments:
            print(f"\n--- comment on {comment['path']}:{comment['line']} ---\n{comment['body']}")
    if not github.reviews(NUMBER):
        print(f"\n--- no review was posted; the job summary says ---\n{ended.summary}")


if __name__ == "__main__":
    sys.exit(main())
