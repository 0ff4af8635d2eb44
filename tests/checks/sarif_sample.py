"""A small project before and after a change, and what four tools wrote of it afterwards."""

from __future__ import annotations

from pathlib import Path

from pr_review.checks.sarif.ports import ToolFile

FOLDER = Path(__file__).resolve().parent.parent / "data" / "sarif"
TOOLS = ("bandit", "eslint", "ruff", "semgrep")

_RUN = """\
import subprocess


def run(command):
    return subprocess.run(command, check=True)
"""
_TOTAL = """\
export function total(items) {
  return items.reduce((sum, item) => sum + item.price, 0);
}
"""
_OLD = """\
import json
import os


def load(text):
    return eval(text)
"""
BEFORE = {"src/app.py": _RUN, "web/main.js": _TOTAL, "src/old.py": _OLD}
AFTER = {
    "src/app.py": f"""\
import os
{_RUN}

def run_in_shell(command):
    unused = 1
    return subprocess.run(command, shell=True, check=True)


def parse(text):
    if text == None:
        return {{}}
    return eval(text)
""",
    "web/main.js": f"""\
{_TOTAL}
export function parse(text) {{
  var value = eval(text);
  if (value == null) {{
    debugger;
  }}
  return value;
}}
""",
    "src/old.py": _OLD,
}


def written(tool: str) -> bytes:
    """The SARIF file of a tool."""
    return (FOLDER / f"{tool}.sarif").read_bytes()


def files() -> list[ToolFile]:
    """The files of all four tools, as the workspace holds them."""
    return [ToolFile(f"out/{tool}.sarif", written(tool)) for tool in TOOLS]
