"""Addresses of lines on the server, at the commits that were read."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from pr_review.domain.diff import Side, Status
from pr_review.domain.finding import Finding
from pr_review.domain.review import Run, Told

_SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class Links:
    """Leads to files of a run's change; nowhere if the run knows no web page or no commits."""

    run: Run | None = None

    def to(self, place: Finding | Told) -> str:
        """The address of the place's lines, on the side where they stand; empty if it has none.

        A file that the change does not name gets none: a name that was redacted leads nowhere.
        """
        change = self.run.change if self.run else None
        if self.run is None or change is None or not self.run.web_url or not change.head:
            return ""
        file = next((file for file in change.files if file.path == place.path), None)
        if file is None or _SUBMODULE in (file.old_mode, file.new_mode):
            return ""
        old = place.side is Side.LEFT or (file.status is Status.DELETED and place.start is None)
        if file.status is (Status.ADDED if old else Status.DELETED):
            return ""
        commit = change.merge_base if old else change.head
        path = (file.old_path or file.path) if old else file.path
        return f"{self.run.web_url}/blob/{commit}/{_quoted(path)}{_lines(place)}"


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")


def _lines(place: Finding | Told) -> str:
    if place.start is None:
        return ""
    end = "" if place.end in (None, place.start) else f"-L{place.end}"
    # without `plain`, a file that is shown rendered has no lines to lead to:
    # https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/creating-a-permanent-link-to-a-code-snippet#linking-to-markdown
    return f"?plain=1#L{place.start}{end}"
