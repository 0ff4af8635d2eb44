"""The hidden last line of a review, by which a later run knows it again.

Every workflow that uses `GITHUB_TOKEN` is the same bot, so a marker proves nothing unless it
is signed. A bad signature can only cause another review, never a shorter one.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass

from pr_review.domain.pull_request import Repository

_UNSIGNED = "none"
_MARKER = re.compile(
    r"<!-- pr-review:v1 repository=(\S+) number=(\d+) head=([0-9a-f]*) settings=([0-9a-f]*)"
    r" signature=(none|[0-9a-f]{64}) -->"
)


@dataclass(frozen=True, slots=True)
class Marker:
    """What a marker says: the head and settings of its review; `signed` if a key proved it."""

    head_sha: str
    settings_digest: str
    signed: bool


def derive_key(secret: str) -> bytes:
    """The key of the markers, made from a provider's key so that later runs can check them.

    Nothing of the secret can be computed from it.
    """
    return hmac.digest(secret.encode("utf-8", "surrogateescape"), b"pr-review marker v1", "sha256")


def marker(
    repository: Repository, number: int, head_sha: str, settings_digest: str, key: bytes | None
) -> str:
    """The marker as one line of hidden Markdown; unsigned without a key."""
    says = f"repository={repository} number={number} head={head_sha} settings={settings_digest}"
    return f"<!-- pr-review:v1 {says} signature={_signature(says, key)} -->"


def read(body: str, repository: Repository, number: int, key: bytes | None) -> Marker | None:
    """The marker of a review's body; None if there is none that we honour.

    Only the last line counts, and it must name this pull request. With a key, the signature
    must hold; without one, any marker is read as unsigned.
    """
    # GitHub may give a body back with other line ends and without the white space at its end.
    match = _MARKER.fullmatch(body.rstrip().rpartition("\n")[2].strip())
    if match is None or (match[1], match[2]) != (str(repository), str(number)):
        return None
    says = match[0][len("<!-- pr-review:v1 ") : match.start(5) - len(" signature=")]
    if key is not None and not hmac.compare_digest(match[5], _signature(says, key)):
        return None
    return Marker(head_sha=match[3], settings_digest=match[4], signed=key is not None)


def _signature(says: str, key: bytes | None) -> str:
    return hmac.new(key, says.encode(), "sha256").hexdigest() if key else _UNSIGNED
