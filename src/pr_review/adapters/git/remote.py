"""The change of a pull request, fetched from the server into a private repository.

A blobless, shallow fetch of two commits: https://git-scm.com/docs/partial-clone. The diff
then fetches just the blobs it needs, in one request, so the cost does not grow with the
repository. Nothing of the checkout is used, and nothing of it is trusted.
"""

from __future__ import annotations

import base64
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Self

from pr_review.adapters.git.command import Git, TooSlowError
from pr_review.adapters.git.reading import HeadTree, read_blobs, read_change
from pr_review.domain.diff import Change
from pr_review.errors import SnapshotError


class RemoteSource:
    """A `ChangeSource` over a server: `merge_base` and `head` are full commit ids.

    `server_url` is the web address (`https://github.com`), `repository` is `owner/name`.
    The token travels in a header that is scoped to that address alone, in the environment of
    git: not in a URL, an argument, a file or a log. `number` names `refs/pull/N/head`, which
    serves the commits of forks. All that git does here takes `seconds` at most.
    """

    def __init__(
        self,
        *,
        server_url: str,
        repository: str,
        number: int,
        merge_base: str,
        head: str,
        token: str,
        max_bytes: int,
        passed: Mapping[str, str],
        seconds: float = 120.0,
    ) -> None:
        self._url = f"{server_url.rstrip('/')}/{repository}.git"
        self._number = number
        self.merge_base = merge_base
        self.head = head
        self._max_bytes = max_bytes
        self._folder = tempfile.TemporaryDirectory(prefix="pr-review-git-")
        basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        root = server_url.rstrip("/") + "/"
        extra = [(f"http.{root}.extraHeader", f"Authorization: basic {basic}")] if token else []
        open_with = partial(
            Git,
            Path(self._folder.name) / "repo.git",
            passed=passed,
            protocols="http:https",
            extra=[*extra, ("http.followRedirects", "false")],
            deadline=time.monotonic() + seconds,
        )
        self._git = open_with(timeout=seconds)
        # What only helps to read the change must leave time for the change itself.
        self._briefly = open_with(timeout=seconds / 4)
        self._fetched = False
        self._here: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def change(self) -> Change:
        self._fetch()
        change = read_change(
            self._git,
            self.merge_base,
            self.head,
            max_bytes=self._max_bytes,
            prefetch=self._fetch_objects,
        )
        self._here = {oid for file in change.files for oid in (file.old_oid, file.new_oid)}
        return change

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        self._fetch()
        # Those of the change came with the diff; git would ask for others one by one.
        missing = sorted(oid for oid in set(oids) - self._here if oid.strip("0"))
        if missing:
            self._fetch_objects(missing, with_git=self._briefly)
            self._here |= set(missing)
        return read_blobs(self._git, oids)

    def head_files(self) -> Mapping[str, str]:
        return self.tree.files

    @cached_property
    def tree(self) -> HeadTree:
        """The files of the head commit."""
        self._fetch()
        return HeadTree(self._git, self.head)

    def _fetch(self) -> None:
        if self._fetched:
            return
        form = "sha256" if len(self.head) == 64 else "sha1"
        git = self._git
        git.run(
            "init", "--quiet", "--bare", f"--object-format={form}", "--template=", str(git.git_dir)
        )
        # A promisor remote by its own name: later commands fetch missing blobs from it.
        git.run("config", "remote.origin.url", self._url)
        git.run("config", "remote.origin.promisor", "true")
        git.run("config", "remote.origin.partialCloneFilter", "blob:none")
        git.run("config", "core.repositoryFormatVersion", "1")
        git.run("config", "extensions.partialClone", "origin")
        try:
            self._fetch_commits(self.merge_base, self.head)
        except TooSlowError:
            raise
        except SnapshotError as error:
            self._fetch_by_ref(error)
        self._fetched = True

    def _fetch_commits(self, *wanted: str) -> None:
        self._git.run(
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1",
            "--filter=blob:none", "--no-recurse-submodules", "origin", *wanted,
        )  # fmt: skip

    def _fetch_objects(self, oids: Sequence[str], *, with_git: Git | None = None) -> None:
        """All at once what git would fetch one by one."""
        (with_git or self._git).run(
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--filter=blob:none",
            "--no-recurse-submodules", "--stdin", "origin", stdin="\n".join(oids).encode() + b"\n",
        )  # fmt: skip

    def _fetch_by_ref(self, first: SnapshotError) -> None:
        """A server that serves no bare ids serves the pull request's ref, if it still matches."""
        ref = f"+refs/pull/{self._number}/head:refs/pr/head"
        try:
            self._fetch_commits(self.merge_base, ref)
        except SnapshotError:
            raise first from None
        tip = self._git.run("rev-parse", "refs/pr/head").decode().strip()
        if tip != self.head:
            raise SnapshotError(
                f"the head of pull request {self._number} moved while it was read",
                remedy="the run for the new head reviews it",
            )
