"""What a run waits for before it does anything: the libraries that it imports."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.demo_sample import NUMBER
from tests.standins.github import GitHubServer
from tests.standins.runner import Runner, model_inputs

# what the model's process, a snapshot, or other users of PyGithub need
HEAVY = {
    "litellm", "openai", "tiktoken", "tree_sitter", "kingfisher_sdk", "jsonschema",
    "jwt", "cryptography", "nacl", "github.MainClass", "github.Repository",
}  # fmt: skip
SCRIPT = """
import json, os, sys
from pr_review import app
code = app.main([], dict(os.environ))
print(json.dumps([code, *sys.modules]), file=sys.stderr)
"""


def test_a_run_that_is_skipped_imports_nothing_that_it_does_not_use(
    runner: Runner, github: GitHubServer
) -> None:
    github.open_pull(NUMBER, draft=True)
    runner.inputs |= model_inputs("http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=runner.environment(github.event(NUMBER)),
        capture_output=True,
        check=True,
        text=True,
    )
    code, *modules = json.loads(done.stderr)
    assert code == 0
    assert "skipped: " in done.stdout
    assert "github.Requester" in modules, "it did ask GitHub"
    assert "pr_review.commands.reviewing" not in modules
    assert HEAVY & set(modules) == set()
