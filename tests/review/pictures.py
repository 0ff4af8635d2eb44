"""Draws the reviews of all scenarios as a browser shows them, to be looked at by people.

`python -m tests.review.pictures FOLDER [CSS]` writes two pictures of each scenario at the width of
a phone and of a desk: as it opens, and with all that is folded unfolded. CSS is a style sheet for
`.markdown-body`, such as the one of the npm package github-markdown-css; without, a plain one.
"""

from __future__ import annotations

import base64
import html
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt

from pr_review.domain.review import Comment, Review, Run
from pr_review.domain.text import visible
from pr_review.review import ReviewPolicy, compose
from tests.browser.chromium import Tab, browser
from tests.review.scenarios import SCENARIOS

WIDTHS = (390, 1280)
UNFOLD = "document.querySelectorAll('details').forEach((fold) => (fold.open = true))"
GITHUB = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])
PLAIN = """
.markdown-body { font-size: 14px; line-height: 1.5; overflow-wrap: break-word; }
.markdown-body table { display: block; width: max-content; max-width: 100%; overflow: auto;
  border-collapse: collapse; }
.markdown-body th, .markdown-body td { padding: 6px 13px; border: 1px solid #d1d9e0; }
.markdown-body code { font: 85% monospace; background: #eff1f3; padding: .2em .4em;
  white-space: break-spaces; }
.markdown-body pre { background: #f6f8fa; padding: 16px; overflow: auto; }
.markdown-body ul { padding-left: 2em; }
.markdown-body hr { height: .25em; border: 0; background: #d1d9e0; }
"""
_FRAME = """
body { margin: 0; padding: 16px; background: #fff;
  font-family: "Segoe UI", Helvetica, Arial, "DejaVu Sans Condensed", sans-serif; }
article { border: 1px solid #d1d9e0; border-radius: 6px; margin: 0 auto 16px; max-width: 860px; }
article header { background: #f6f8fa; padding: 8px 16px; font-size: 12px; color: #59636e;
  overflow-wrap: anywhere; }
article .markdown-body { padding: 16px; font-size: 14px; font-family: inherit; }
"""


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    style = Path(sys.argv[2]).read_text("utf-8") if len(sys.argv) > 2 else PLAIN
    with tempfile.TemporaryDirectory() as profile, browser(Path(profile)) as opened:
        tab = Tab(opened)
        for name, run in SCENARIOS.items():
            show(tab, run, Path(profile), style)
            for width in WIDTHS:
                _draw(tab, folder / f"{name}-{width}.png", width)
                tab.at_once(UNFOLD)
                _draw(tab, folder / f"{name}-{width}-unfolded.png", width)
                tab.at_once(UNFOLD.replace("true", "false"))


def show(tab: Tab, run: Run, folder: Path, style: str = PLAIN) -> None:
    """Opens the review of a run and its comments as a page, which is written to `folder`."""
    page = folder / "page.html"
    page.write_text(_page(compose(run, ReviewPolicy()), style), "utf-8")
    tab.open(page.as_uri())


def _draw(tab: Tab, path: Path, width: int) -> None:
    """A picture of the whole page, to a height that one can still look at."""
    tab.size(width, 200)
    height = min(tab.evaluate("document.documentElement.scrollHeight"), 6_000)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = tab.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
    path.write_bytes(base64.b64decode(shot["data"]))


def _page(review: Review, style: str) -> str:
    boxes = [_box("pr-review reviewed", review.body), *map(_comment, review.comments)]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    return f"<!doctype html>{head}<style>{style}{_FRAME}</style>{''.join(boxes)}"


def _comment(comment: Comment) -> str:
    return _box(f"{visible(comment.path)}:{comment.start_line or comment.line}", comment.body)


def _box(heading: str, markdown: str) -> str:
    """Markdown as GitHub renders it in a conversation: there a line feed breaks the line."""
    text = GITHUB.render(markdown)
    text = text.replace('<code class="language-suggestion">', "<em>Suggested change</em><br><code>")
    told = f'<div class="markdown-body">{text}</div>'
    return f"<article><header>{html.escape(heading)}</header>{told}</article>"


if __name__ == "__main__":
    main()
