"""The change of a pull request, fetched from the server into a private repository.

A blobless, shallow fetch of two commits: https://git-scm.com/docs/partial-clone. The diff
then fetches just the blobs it needs, in one request, so the cost does not grow with the
repository. Nothing of the checkout is used, and nothing of it is trusted.
"""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Self, TypeVar

from pr_review.adapters.git.command import Git, TooSlowError
from pr_review.adapters.git.folder import PrivateFolder
from pr_review.adapters.git.reading import HeadTree, read_blobs, read_change
from pr_review.adapters.git.touched import touched
from pr_review.domain.diff import Change
from pr_review.errors import HeadMoved, ServerUnreachable, SnapshotError

Result = TypeVar("Result")

# Commits of the head's history that are asked for where the server hands out no single ones.
_DEPTHS = (50, 1_000)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_HEAD_REF = "refs/pr/head"


class RemoteSource:
    """A `ChangeSource` over a server: `merge_base` and `head` are full commit ids.

    `server_url` is the web address (`https://github.com`, or one with a path), `repository` is
    `owner/name`. The token travels in a header that is scoped to that address alone, in the
    environment of git: not in a URL, an argument, a file or a log. `number` names
    `refs/pull/N/head`, which serves the commits of forks. `ca_bundle` is a PEM file with the
    authorities to trust, in place of the system's. All that git does here takes `seconds` at
    most; what may work a moment later is tried once more, after `pause` seconds.

    Raises `ServerUnreachable` where git could not reach the server or was refused by it,
    `HeadMoved` where the head is gone because somebody pushed, `SnapshotError` for the rest.
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
        pause: float = 1.0,
        ca_bundle: Path | None = None,
    ) -> None:
        root = server_url.rstrip("/") + "/"
        self._url = f"{root}{repository}.git"
        self._number = number
        self.merge_base = merge_base
        self.head = head
        self._max_bytes = max_bytes
        self._pause = pause
        self._deadline = time.monotonic() + seconds
        self._folder = PrivateFolder()
        if ca_bundle is not None:  # this variable would win over the setting
            passed = {name: value for name, value in passed.items() if name != "GIT_SSL_CAINFO"}
        self._seconds = seconds
        self._open = partial(
            Git,
            passed=passed,
            extra=_http_settings(root, token, ca_bundle, seconds),
            deadline=self._deadline,
        )
        self._use("repo.git")
        self._fetched = False
        self._complete = False
        self._here: set[str] = set()

    def _use(self, name: str) -> None:
        """Goes on in that repository."""
        opened = partial(self._open, self._folder.path / name)
        self._git = opened(protocols="http:https", timeout=self._seconds)
        # What only helps to read the change must leave time for the change itself.
        self._briefly = opened(protocols="http:https", timeout=self._seconds / 4)
        # Without a protocol git looks at what is here, and asks the server for nothing.
        self._offline = opened(protocols="none", timeout=self._seconds)
        self._tree: HeadTree | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.remove()

    def change(self) -> Change:
        return self._change

    @cached_property
    def _change(self) -> Change:
        self._fetch()
        try:
            change = self._read()
        except (TooSlowError, ServerUnreachable):
            raise
        except SnapshotError as error:  # the commits could be had by their ids, contents not
            if self._complete:
                raise
            self._fetch_by_ref(error)
            change = self._read()
        self._here |= {oid for file in change.files for oid in (file.old_oid, file.new_oid)}
        return change

    def _read(self) -> Change:
        return self._again(
            lambda: read_change(
                self._git,
                self.merge_base,
                self.head,
                max_bytes=self._max_bytes,
                prefetch=self._fetch_missing,
                whole=True,
            )
        )

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        self._fetch()
        # Those of the change came with the diff; git would ask for others one by one.
        self._fetch_missing(oids, with_git=self._briefly)
        return read_blobs(self._git, oids)

    def touched_since(self, commit: str) -> Mapping[str, tuple[range, ...]]:
        if not _COMMIT.fullmatch(commit):
            raise SnapshotError(f"{commit[:12]!r} is no commit id")
        change = self.change()
        if not self._has(commit):
            self._fetch_commits(commit, with_git=self._briefly)
        return touched(
            self._briefly,
            commit,
            change,
            max_bytes=self._max_bytes,
            prefetch=partial(self._fetch_missing, with_git=self._briefly),
        )

    def head_files(self) -> Mapping[str, str]:
        return self.tree.files

    @property
    def tree(self) -> HeadTree:
        """The files of the head commit."""
        self._fetch()
        if self._tree is None:
            self._tree = HeadTree(self._git, self.head)
        return self._tree

    def _fetch(self) -> None:
        if self._fetched:
            return
        self._prepare()
        try:
            self._again(lambda: self._fetch_commits(self.merge_base, self.head))
        except (TooSlowError, ServerUnreachable):
            raise
        except SnapshotError as error:
            self._fetch_by_ref(error)
        self._fetched = True

    def _prepare(self) -> None:
        self._use("repo.git")
        self._init()
        git = self._git
        # A promisor remote by its own name: later commands fetch missing blobs from it.
        git.run("config", "remote.origin.promisor", "true")
        git.run("config", "remote.origin.partialCloneFilter", "blob:none")
        git.run("config", "core.repositoryFormatVersion", "1")
        git.run("config", "extensions.partialClone", "origin")

    def _init(self) -> None:
        form = "sha256" if len(self.head) == 64 else "sha1"
        git = self._git
        git.run(
            "init", "--quiet", "--bare", f"--object-format={form}", "--template=", str(git.git_dir)
        )
        git.run("config", "remote.origin.url", self._url)

    def _fetch_commits(self, *wanted: str, with_git: Git | None = None) -> None:
        (with_git or self._git).run(
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1",
            "--filter=blob:none", "--no-recurse-submodules", "origin", *wanted,
        )  # fmt: skip

    def _fetch_missing(self, oids: Sequence[str], *, with_git: Git | None = None) -> None:
        """All at once what git would fetch one by one."""
        missing = sorted(oid for oid in set(oids) - self._here if oid.strip("0"))
        if not missing or self._complete:
            return
        (with_git or self._git).run(
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--filter=blob:none",
            "--no-recurse-submodules", "--stdin", "origin",
            stdin="\n".join(missing).encode() + b"\n",
        )  # fmt: skip
        self._here |= set(missing)

    def _fetch_by_ref(self, first: SnapshotError) -> None:
        """A server that hands out no object by its id serves the pull request's ref, if that
        still is the head: its history with all contents, back to the merge base.
        """
        ref = f"refs/pull/{self._number}/head"
        self._compare_tip(ref, first)
        # Not the same repository: git would leave out what belongs to commits that it has.
        self._use("whole.git")
        self._init()
        for depth in _DEPTHS:
            self._git.run(
                "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", f"--depth={depth}",
                "--no-recurse-submodules", "origin", f"+{ref}:{_HEAD_REF}",
            )  # fmt: skip
            if not self._has(self.head):
                raise HeadMoved(self._number)
            if self._offline.ok("merge-base", "--is-ancestor", self.merge_base, _HEAD_REF):
                self._complete = True
                return
        raise SnapshotError(
            f"the merge base is not among the last {_DEPTHS[-1]:,} commits of pull request "
            f"{self._number}, and the server hands out no commit by its id",
            remedy="rebase the branch, or allow uploadpack.allowReachableSHA1InWant on the server",
        ) from first

    def _compare_tip(self, ref: str, first: SnapshotError) -> None:
        """Raises unless a ref of the server still is the head; one that is gone tells no more
        than the `first` error did.
        """
        rows = self._git.run("ls-remote", "origin", "HEAD", ref).decode("utf-8", "replace")
        tips = {name: oid for oid, _, name in (row.partition("\t") for row in rows.split("\n"))}
        if not any(tips.values()):
            raise ServerUnreachable(
                f"git ls-remote failed: {self._url} names neither a branch nor pull request "
                f"{self._number}",
                remedy="what answered may not speak git: check GITHUB_SERVER_URL, and the proxy",
            ) from first
        if ref not in tips:
            raise first
        if tips[ref] != self.head:
            raise HeadMoved(self._number) from first

    def _has(self, commit: str) -> bool:
        return self._offline.ok("cat-file", "-e", f"{commit}^{{commit}}")

    def _again(self, call: Callable[[], Result]) -> Result:
        """The call's result, at the second try where the first may have failed by chance."""
        try:
            return call()
        except ServerUnreachable as error:
            if not error.passing or time.monotonic() + self._pause > self._deadline:
                raise
        time.sleep(self._pause)
        return call()


def _http_settings(
    root: str, token: str, ca_bundle: Path | None, seconds: float
) -> list[tuple[str, str]]:
    """https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpltURLgt"""
    settings = [
        ("http.followRedirects", "false"),  # the header would go along
        # A server that says nothing must leave time for another source.
        ("http.lowSpeedLimit", "1"),
        ("http.lowSpeedTime", str(max(2, int(seconds / 3)))),
    ]
    if token:
        basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        settings.append((f"http.{root}.extraHeader", f"Authorization: basic {basic}"))
    if ca_bundle is not None:
        settings.append(("http.sslCAInfo", str(ca_bundle)))
    return settings
