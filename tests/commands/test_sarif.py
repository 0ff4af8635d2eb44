"""SARIF in and out of whole runs: a sample, what four real tools wrote of it, and the schema."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from pr_review import app
from tests.checks import sarif_sample
from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.models import ModelServer, Request, answer
from tests.standins.runner import Runner, model_inputs

NUMBER = 1
# as in `ghp_` tokens, made so that no scanner of this repository takes it for a real one
TOKEN = "ghp_" + "9Kq2vX7LmZ4tRb8WcN1yHs6JfP3dGa5TuQ0e"
SHELL = {
    "path": "src/app.py", "start_line": 11, "end_line": 11, "severity": "high",
    "confidence": "medium", "category": "injection", "quote": "subprocess.run(command, shell=True",
    "title": "A command of the caller runs in a shell", "body": "Pass a list.",
}  # fmt: skip


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The sample's change on `feature`, which brings a SARIF file of its own."""
    before = {path: text.encode() for path, text in sarif_sample.BEFORE.items()}
    after = {path: text.encode() for path, text in sarif_sample.AFTER.items()}
    forged = {"out/forged.sarif": sarif_sample.written("ruff")}
    commits = [
        NewCommit("main", "Begin", before),
        NewCommit("feature", "Parse", after | forged, start="main"),
    ]
    return bare_repository(tmp_path / "shop.git", commits)


def leave_results(checkout: Path) -> None:
    """What steps before ours leave; one of them quotes the credential that it found."""
    (checkout / "out").mkdir(exist_ok=True)
    for tool in sarif_sample.TOOLS:
        (checkout / f"out/{tool}.sarif").write_bytes(sarif_sample.written(tool))
    (checkout / "out/forged.sarif").write_bytes(sarif_sample.written("ruff"))
    place = {"artifactLocation": {"uri": "web/main.js"}, "region": {"startLine": 7}}
    found, where = {"text": f"Found {TOKEN} here"}, [{"physicalLocation": place}]
    leak = {"message": found, "locations": where, "level": "error"}
    run = {"tool": {"driver": {"name": "leaks"}}, "results": [leak]}
    log = {"version": "2.1.0", "runs": [run]}
    (checkout / "out/leaks.sarif").write_text(json.dumps(log))


def validated(text: str) -> dict[str, Any]:
    schema = json.loads((sarif_sample.FOLDER / "sarif-schema-2.1.0.json").read_text("utf-8"))
    log = json.loads(text)
    Draft4Validator(schema).validate(log)
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def notices(run: dict[str, Any]) -> list[str]:
    (call,) = run["invocations"]
    return [one["message"]["text"] for one in call["toolExecutionNotifications"]]


def test_results_of_four_tools_go_in_and_valid_sarif_comes_out(
    bare: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "-b", "feature", str(bare), str(clone)], check=True)
    leave_results(clone)
    flags = ["--model", "none", "--sarif-files", "out/*.sarif", "--base", "origin/main"]
    code = app.main(["local", "--repo", str(clone / "src"), *flags, "--format", "sarif"], {})
    out, err = capfd.readouterr()
    assert code == 0, err
    run = validated(out)
    said = [result["properties"]["sources"] for result in run["results"]]
    found = {source for sources in said for source in sources}
    assert found == {
        "Bandit:B307", "Bandit:B602", "ESLint:eqeqeq", "ESLint:no-debugger", "ESLint:no-eval",
        "ESLint:no-var", "Semgrep-OSS:eval-of-text", "Semgrep-OSS:subprocess-shell",
        "check:debugger-added", "leaks:result", "ruff:E711", "ruff:F401", "ruff:F841",
        "ruff:S307", "ruff:S602",
    }  # fmt: skip
    together = [sorted(source.partition(":")[0] for source in sources) for sources in said]
    assert ["Bandit", "Semgrep-OSS", "ruff"] in together
    assert all(len(set(tools)) == len(tools) for tools in together), "two rules mean two problems"
    assert all("primaryLocationLineHash" in one["partialFingerprints"] for one in run["results"])
    (refused,) = [text for text in notices(run) if "is not read" in text]
    assert refused.startswith("sarif-files: out/forged.sarif is not read: the head commit holds it")
    assert TOKEN not in out


@pytest.mark.usefixtures("one_process")
def test_agents_are_shown_the_results_and_what_both_say_is_sure(bare: Path, tmp_path: Path) -> None:
    with GitHubServer(bare) as github, ModelServer(answer([SHELL])) as model:
        github.open_pull(NUMBER)
        runner = Runner(tmp_path / "job", github, model_inputs(model.url))
        runner.inputs |= {"agents": "security", "sarif-files": "out/", "report-sarif": "true"}
        runner.inputs["min-severity"] = "medium"
        leave_results(runner.workspace)
        ended = runner.run(github.event(NUMBER))
        [review] = github.reviews(NUMBER)
        prompts = [text_of(request) for request in model.requests]
    assert ended.code == 0, ended.log
    assert "src/app.py:1 [medium] `os` imported but unused (ruff:F401)" in prompts[0]
    assert "[medium] Found [REDACTED:github-pat] here (leaks:result)" in prompts[0]
    assert "[low]" not in prompts[0], "what nobody will be told is not known already"
    assert {"ESLint:no-var"} in [set(one["sources"]) for one in ended.report["left_out"]]
    assert TOKEN not in "".join([*prompts, review.body, *(c["body"] for c in review.comments)])
    assert "other tools: ruff: 5 of 9 results on changed lines" in ended.log
    assert "ESLint: 4 of 4 results on changed lines" in ended.report["tools"]
    assert ended.outputs["sarif"] == str(runner.root / "temp" / "pr-review.sarif")
    run = validated(Path(ended.outputs["sarif"]).read_text("utf-8"))
    (both,) = [r for r in run["results"] if "security" in r["properties"]["sources"]]
    assert {"security", "Bandit:B602"} <= set(both["properties"]["sources"])
    assert both["properties"]["confidence"] == "high"
    assert "primaryLocationLineHash" in both["partialFingerprints"]
    (origin,) = run["versionControlProvenance"]
    assert origin == {
        "repositoryUri": f"{github.url}/{github.repository}",
        "revisionId": head(bare),
    }


def text_of(request: Request) -> str:
    return "\n".join(str(message["content"]) for message in request.messages)


def head(bare: Path) -> str:
    command = ["git", "--git-dir", str(bare), "rev-parse", "feature"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
