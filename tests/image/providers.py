"""Asks every provider that the documents name, from inside the image: run there, prints JSON.

The providers are one stand-in on loopback. Each is asked for an answer as a whole, for one as a
stream, and for what it says when it refuses; all by the process that a run asks its model with.
With the word `modules` this process asks by itself, and tells which modules that took.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

# where the test put this file and the stand-ins; the interpreter does not look there by itself
sys.path.insert(0, str(Path(__file__).resolve().parent))

from pr_review.adapters.llm import child
from pr_review.adapters.llm.attempts import answer
from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.adapters.llm.process import ModelProcess
from pr_review.adapters.llm.wire import Answer, Job
from pr_review.agents.ports import ModelCall
from pr_review.errors import ModelError
from tests.standins.dialects import speak
from tests.standins.models import ModelServer

# the model's name, what is its address below that of the server, and variables of its step
PROVIDERS: dict[str, tuple[str, dict[str, str]]] = {
    "openai/gpt-5": ("/v1", {}),
    "anthropic/claude-sonnet-4-5": ("", {}),
    "gemini/gemini-2.5-pro": ("", {}),
    "azure/my-deployment": ("", {"AZURE_API_VERSION": "2024-10-21"}),
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0": (
        "",
        {
            "AWS_ACCESS_KEY_ID": "AKIAPLANTED4TESTS",
            "AWS_SECRET_ACCESS_KEY": "planted",
            "AWS_REGION": "eu-west-1",
        },
    ),
    "openrouter/anthropic/claude-sonnet-4.5": ("/v1", {}),
    "mistral/mistral-large-latest": ("/v1", {}),
    "deepseek/deepseek-chat": ("/v1", {}),
    "ollama/llama3": ("", {}),
    "ollama_chat/llama3": ("", {}),
}
ASKED = ("answer", "stream", *(f"refuse with {status}" for status in (400, 401, 429, 500)))


def said(model: ChildModel, asked: str) -> list[object]:
    """What came back: text and tokens, and whether the first one was told; or the error."""
    told: list[bool] = []
    started = (lambda: told.append(True)) if asked == "stream" else None
    call = ModelCall("common", "snapshot", asked, {"type": "object"}, 500, retries=0)
    try:
        reply = model.complete(call, seconds=60, started=started)
    except ModelError as error:
        return [str(error)]
    return [reply.text, reply.input_tokens, reply.output_tokens, len(told)]


class InPlace(ModelProcess):
    """Does in this process what the model's process does in its own."""

    def ask(self, job: Job, started: Callable[[], None] | None = None) -> Answer:
        os.environ.update(job.environment)
        return answer(job, child._import_litellm(), started or (lambda: None))


def replies(process: ModelProcess) -> dict[str, dict[str, list[object]]]:
    """What all providers said, by the model's name and what was asked."""
    found = {}
    with ModelServer(speak) as server:
        for name, (path, environ) in PROVIDERS.items():
            key = None if name.startswith(("bedrock/", "ollama")) else "sk-planted"
            settings = ModelSettings(name, key, server.base + path)
            model = ChildModel(settings, environ, process=process)
            found[name] = {asked: said(model, asked) for asked in ASKED}
    return found


def modules() -> dict[str, list[str]]:
    """The modules that all of this imports, and all commands, by whether they are compiled."""
    for name in ("action", "reviewing", "config", "doctor", "explain", "local", "snapshot"):
        importlib.import_module(f"pr_review.commands.{name}")
    replies(InPlace({}))
    ours = str(Path(__file__).parent)
    found = [module for module in list(sys.modules.values()) if getattr(module, "__cached__", None)]
    found = [module for module in found if not str(module.__file__).startswith(ours)]
    names: dict[bool, list[str]] = {True: [], False: []}
    for module in found:
        names[Path(str(module.__cached__)).exists()].append(module.__name__)
    return {"compiled": sorted(names[True]), "not compiled": sorted(names[False])}


def main() -> None:
    if sys.argv[1:] == ["modules"]:
        print(json.dumps(modules()))
        return
    process = ModelProcess(os.environ)
    print(json.dumps(replies(process)))
    process.kill()


if __name__ == "__main__":
    main()
