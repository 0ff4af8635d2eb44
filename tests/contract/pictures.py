"""Draws docs/pictures, from the sample of `make demo`: `python -m tests.contract.pictures`.

The pictures are small SVG: they follow light and dark, say in words what colours say, and carry
a title and a description for who does not see them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from pr_review.adapters.git import LocalSource
from pr_review.adapters.secrets import Kingfisher
from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.domain.snapshot import Snapshot
from pr_review.report.snapshot_json import snapshot_object
from pr_review.settings import load
from pr_review.snapshot.fit import fit
from pr_review.snapshot.prepare import Tools, prepare
from tests import demo_sample
from tests.contract.documents import ROOT

FOLDER = ROOT / "docs" / "pictures"
COMMAND = "python -m tests.contract.pictures"
BUDGETS = (100_000, 2_000, 1_000)
_LEFT = 372
DOES = {
    "classify": "gives every file a tier, by path, attributes and text",
    "fold": "describes exactly, in a sentence, what needs no lines",
    "structure": "finds the functions and classes around the changed lines",
    "dependencies": "finds the definitions that changed lines use",
    "screen": "replaces what looks like a credential",
    "context": "adds unchanged lines to read the changed ones by",
    "truncate": "gives up what is over the budget, lowest tiers first",
}
_STYLE = """\
  svg { --ground: #fff; --panel: #f6f8fa; --text: #1f2328; --dim: #59636e; --rule: #d1d9e0;
    --shown: #2f6fb7; --folded: #9aa5b1; --omitted: #b34700; color-scheme: light dark;
    font: 13px system-ui, sans-serif; }
  @media (prefers-color-scheme: dark) { svg { --ground: #0e1217; --panel: #161b22; --text: #e3e8ee;
    --dim: #9aa4af; --rule: #333b45; --shown: #4d94e0; --folded: #6d7885; --omitted: #f09a5b; } }
  text { fill: var(--text); } .dim { fill: var(--dim); } .strong { font-weight: 600; }
  .ground { fill: var(--ground); } .panel { fill: var(--panel); stroke: var(--rule); }
  .line { stroke: var(--dim); fill: none; } .head { fill: var(--dim); }
  .shown { fill: var(--shown); }
  .folded { fill: none; stroke: var(--folded); stroke-dasharray: 3 2; }
  .omitted { fill: url(#stripes); stroke: var(--omitted); }
  .stripe { stroke: var(--omitted); stroke-width: 2; }"""
_DEFS = """\
<defs>
  <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" \
orient="auto-start-reverse"><path class="head" d="M0 0 8 4 0 8z"/></marker>
  <pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" \
patternTransform="rotate(45)"><path class="stripe" d="M0 0V6"/></pattern>
</defs>"""


@dataclass(frozen=True)
class Sample:
    """The snapshots of one change under `BUDGETS`, as their JSON objects, and the texts."""

    snapshots: tuple[Snapshot, ...]
    objects: tuple[dict[str, Any], ...]


@cache
def taken() -> Sample:
    """The sample of the demo, by the settings that hold without any."""
    policy = load().snapshot_policy()
    with tempfile.TemporaryDirectory() as folder:
        repository = demo_sample.build(Path(folder) / "shop.git")
        with LocalSource(
            repository, base="main", head="feature", max_bytes=10**9,
            passed={"PATH": os.environ["PATH"]},
        ) as source:  # fmt: skip
            ready = prepare(source.change(), policy, Tools(source, TreeSitter(), Kingfisher()))
            counter = token_counter()
            found = tuple(
                fit(ready, replace(policy, token_budget=budget), counter) for budget in BUDGETS
            )
    return Sample(found, tuple(snapshot_object(snapshot) for snapshot in found))


def pictures(sample: Sample) -> dict[str, str]:
    """Every picture by its file's name."""
    return {
        "data-flow.svg": data_flow(),
        "stages.svg": stages(sample.objects[0]),
        "budgets.svg": budgets(sample.objects),
    }


def drawn(size: tuple[int, int], title: str, described: str, body: Sequence[str]) -> str:
    """One SVG of this width and height."""
    width, height = size
    sizes = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    labels = 'aria-labelledby="title described"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {sizes} role="img" {labels}>',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="described">{escape(described)}</desc>',
            f"<style>\n{_STYLE}\n</style>",
            _DEFS,
            f'<rect class="ground" width="{width}" height="{height}" rx="6"/>',
            *body,
            "</svg>\n",
        ]
    )


def text(x: int, y: int, said: str, kind: str = "", anchor: str = "start") -> str:
    named = f' class="{kind}"' if kind else ""
    at = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x}" y="{y}"{named}{at}>{escape(said)}</text>'


def box(x: int, y: int, width: int, height: int, kind: str = "panel") -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="3"/>'


def arrow(path: str) -> str:
    return f'<path class="line" d="{path}" marker-end="url(#arrow)"/>'


def data_flow() -> str:
    """Who talks to whom, and with what."""
    body = [
        box(16, 56, 130, 84), text(81, 84, "GitHub", "strong", "middle"),
        box(250, 16, 300, 278), text(400, 38, "your runner", "strong", "middle"),
        box(270, 56, 260, 84), text(284, 78, "pr-review", "strong"),
        text(284, 98, "holds GitHub's token", "dim"),
        text(284, 118, "reads the change, posts the review", "dim"),
        box(270, 176, 260, 84), text(284, 198, "the process of the model", "strong"),
        text(284, 218, "another user, in an empty folder", "dim"),
        text(284, 238, "holds the provider's key, no token", "dim"),
        text(400, 282, "report and page stay in runner.temp", "dim", "middle"),
        box(664, 150, 120, 110), text(724, 174, "the model's", "strong", "middle"),
        text(724, 192, "provider", "strong", "middle"),
        arrow("M146 80H266"), text(206, 72, "commits", "", "middle"),
        arrow("M270 120H150"), text(206, 112, "one review", "", "middle"),
        arrow("M350 140V172"), text(358, 162, "prompts"),
        arrow("M450 176V144"), text(458, 162, "answers"),
        arrow("M530 200H660"), text(597, 192, "prompts, key", "", "middle"),
        arrow("M664 240H534"), text(597, 232, "answers", "", "middle"),
    ]  # fmt: skip
    told = (
        "GitHub gives commits to pr-review on your runner, which holds GitHub's token, and gets "
        "one review. pr-review gives prompts to the process of the model, which is another user "
        "and holds the provider's key, and gets answers. That process alone talks to the provider."
    )
    return drawn((800, 310), "What goes where", told, body)


def stages(found: dict[str, Any]) -> str:
    """The way of a change into a prompt, with what each stage did to the sample."""
    changed = {stage["name"]: stage["changed"] for stage in found["stages"]}
    rows = [
        ("git", "reads the change against the merge base", f"{len(found['files'])} files"),
        *((name, DOES[name], said) for name, said in changed.items()),
        ("render", "writes notice and sections", f"{found['tokens']:,} tokens and a digest"),
    ]
    body = [box(16, 16, 92, 48 * len(rows) - 14), text(62, 40, "ledger", "strong", "middle")]
    for number, (name, does, said) in enumerate(rows):
        top = 16 + 48 * number
        body += [box(150, top, 110, 34), text(205, top + 22, name, "strong", "middle")]
        body += [text(276, top + 15, does), text(276, top + 31, said, "dim")]
        body.append(f'<path class="line" d="M150 {top + 17}H108"/>')
        if number:
            body.append(arrow(f"M205 {top - 14}V{top - 2}"))
    below = 16 + 48 * len(rows)
    body.append(arrow(f"M62 {below - 14}V{below + 8}"))
    body += [text(16, below + 26, "One ledger, for: the notice in the prompt, the review, the job")]
    body.append(text(16, below + 44, "summary, the JSON report, the outputs."))
    told = "; ".join(f"{name} {does} ({said})" for name, does, said in rows)
    return drawn(
        (690, below + 60), "How a snapshot is built", f"One after the other: {told}.", body
    )


def budgets(objects: Sequence[dict[str, Any]]) -> str:
    """What is left of each file under smaller budgets."""
    ranks = ("source", "test", "snapshot", "asset", "generated")
    names = sorted(
        (file["path"] for file in objects[0]["files"]),
        key=lambda path: (ranks.index(_file(objects[0], path)["tier"]), path),
    )
    body = []
    for column, found in enumerate(objects):
        left = _LEFT + 172 * column
        body.append(text(left, 28, f"{found['budget']:,} tokens", "strong"))
        body.append(text(left, 46, f"{found['tokens']:,} taken", "dim"))
    for row, path in enumerate(names):
        top = 62 + 30 * row
        tier = _file(objects[0], path)["tier"]
        body += [text(16, top + 13, path), text(_LEFT - 16, top + 13, tier, "dim", "end")]
        for column, found in enumerate(objects):
            body += _bar(_LEFT + 172 * column, top, _file(found, path))
    below = 62 + 30 * len(names)
    body += _legend(below + 14)
    told = " ".join(_told(found) for found in objects)
    return drawn((_LEFT + 524, below + 42), "What goes first over budget", told, body)


def _file(found: dict[str, Any], path: str) -> dict[str, Any]:
    return next(file for file in found["files"] if file["path"] == path)


def shares(file: dict[str, Any]) -> tuple[float, float, float]:
    """How much of a file is shown, folded and omitted; a file without lines is one or another."""
    lines = file["additions"] + file["deletions"]
    if not lines:
        described = file["state"] == "folded"
        return (0.0, float(described), float(not described))
    shown = len(file["shown_added_lines"]) + len(file["shown_removed_lines"])
    folded = len(file["folded_added_lines"]) + len(file["folded_removed_lines"])
    return shown / lines, folded / lines, (lines - shown - folded) / lines


def _bar(left: int, top: int, file: dict[str, Any]) -> Iterator[str]:
    at = left
    for kind, share in zip(("shown", "folded", "omitted"), shares(file), strict=True):
        width = round(86 * share)
        if width:
            yield box(at, top, width, 16, kind)
        at += width
    yield text(left + 94, top + 13, _word(file), "dim")


def _word(file: dict[str, Any]) -> str:
    partial = file["state"] == "partial"
    return f"{shares(file)[0]:.0%} shown" if partial else str(file["state"])


def _legend(top: int) -> Iterator[str]:
    for column, (kind, said) in enumerate(
        (
            ("shown", "shown"),
            ("folded", "described"),
            ("omitted", "named and counted"),
        )
    ):
        left = _LEFT + 172 * column
        yield box(left, top, 22, 14, kind)
        yield text(left + 30, top + 12, said, "dim")


def _told(found: dict[str, Any]) -> str:
    files = "; ".join(f"{file['path']} {_word(file)}" for file in found["files"])
    return f"With a budget of {found['budget']:,} tokens: {files}."


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, svg in pictures(taken()).items():
        (FOLDER / name).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
