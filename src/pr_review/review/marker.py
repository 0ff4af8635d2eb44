"""The hidden last line of a review, by which a later run knows it again.

Every workflow that uses `GITHUB_TOKEN` is the same bot, so a marker proves nothing unless it
is signed. A bad signature can only cause another review, never a shorter one.
"""

from __future__ import annotations

import hmac
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pr_review.domain.finding import Severity, Voice
from pr_review.domain.ledger import Coverage
from pr_review.domain.pull_request import Repository
from pr_review.review.fingerprint import FINGERPRINT

#: A review vouches for nothing that its marker had no room to name.
MOST_FINDINGS = 200
_UNSIGNED = "none"
_FINDING = rf"[clmh][act]\.{FINGERPRINT}"
_MARKER = re.compile(
    r"<!-- pr-review:v3 repository=(\S+) number=(\d+) head=([0-9a-f]*) settings=([0-9a-f]*)"
    rf" base=([0-9a-f]*) coverage=(full|partial) findings=((?:{_FINDING}(?:,{_FINDING})*)?)"
    r" spent=(unknown|\d{1,15}) signature=(none|[0-9a-f]{64}) -->"
)
_MILLIONTHS = 1_000_000
_COMMENT = re.compile(rf"<!-- pr-review:finding=({FINGERPRINT}(?:,{FINGERPRINT})*) -->")
_SEVERITIES = {level.label[0]: level for level in Severity}
_VOICES = {voice.name[0].lower(): voice for voice in Voice}


@dataclass(frozen=True, slots=True)
class Mention:
    """A finding in a marker: its fingerprint, how much it matters, and in whose words."""

    fingerprint: str
    severity: Severity
    voice: Voice = Voice.AGENT

    def __str__(self) -> str:
        return f"{self.severity.label[0]}{self.voice.name[0].lower()}.{self.fingerprint}"


@dataclass(frozen=True, slots=True)
class Marker:
    """What a marker says: the head and settings of its review.

    `coverage` is that of source and tests in the change from `merge_base`. `findings` are those
    that stood when the review was made, told by it or before, open or closed by people.
    `spent_usd` is what the runs cost whose account this review holds; None if that is unknown.
    """

    head_sha: str
    settings_digest: str
    merge_base: str = ""
    coverage: Coverage = Coverage.PARTIAL
    findings: tuple[Mention, ...] = ()
    spent_usd: float | None = 0.0


def derive_key(secret: str) -> bytes:
    """The key of the markers, made from a provider's key so that later runs can check them.

    Nothing of the secret can be computed from it.
    """
    return hmac.digest(secret.encode("utf-8", "surrogateescape"), b"pr-review marker v1", "sha256")


def marker(
    repository: Repository,
    number: int,
    head_sha: str,
    settings_digest: str,
    key: bytes | None,
    *,
    merge_base: str = "",
    coverage: Coverage = Coverage.PARTIAL,
    findings: Sequence[Mention] = (),
    spent_usd: float | None = 0.0,
) -> str:
    """The marker as one line of hidden Markdown; unsigned without a key.

    At most `MOST_FINDINGS` are named, the worst, and those of other tools last; then the coverage
    is partial whatever was given, so that no later review builds on this one. What was spent is
    rounded up to the millionth of a dollar.
    """
    named = sorted(findings, key=lambda m: (m.voice is Voice.TOOL, -m.severity))[:MOST_FINDINGS]
    seen = coverage if len(named) == len(findings) else Coverage.PARTIAL
    says = (
        f"repository={repository} number={number} head={head_sha} settings={settings_digest}"
        f" base={merge_base} coverage={seen} findings={','.join(map(str, named))}"
        f" spent={_written(spent_usd)}"
    )
    return _line(says, key)


def charged(body: str, spent_usd: float | None, key: bytes | None) -> str:
    """A review's body whose marker holds what another run spent, too; unknown if either is.

    The body must end with a marker that `read` honours with this key.
    """
    text, _, last = body.rstrip().rpartition("\n")
    match = _MARKER.fullmatch(last.strip())
    assert match is not None
    before = _amount(match[8])
    total = None if before is None or spent_usd is None else before + spent_usd
    says = f"{_says(match).rpartition(' ')[0]} spent={_written(total)}"
    return f"{text}\n{_line(says, key)}"


def read(body: str, repository: Repository, number: int, key: bytes | None) -> Marker | None:
    """The marker of a review's body; None if there is none that we honour.

    Only the last line counts, and it must name this pull request. With a key, the signature
    must hold; without one, any marker is read as unsigned.
    """
    match = _MARKER.fullmatch(_last_line(body))
    if match is None or (match[1], match[2]) != (str(repository), str(number)):
        return None
    if key is not None and not hmac.compare_digest(match[9], _signature(_says(match), key)):
        return None
    return Marker(
        head_sha=match[3],
        settings_digest=match[4],
        merge_base=match[5],
        coverage=Coverage(match[6]),
        findings=tuple(_mentions(match[7])),
        spent_usd=_amount(match[8]),
    )


def comment_marker(fingerprints: Sequence[str]) -> str:
    """The hidden last line of an inline comment, which may tell several places of a pattern: the
    first is that on which it stands. It proves nothing by itself: it counts only where the signed
    marker of its review names the same findings."""
    return f"<!-- pr-review:finding={','.join(fingerprints[:MOST_FINDINGS])} -->"


def read_comment(body: str) -> tuple[str, ...]:
    """The fingerprints that the last line of a comment names, none if it names none."""
    match = _COMMENT.fullmatch(_last_line(body))
    return tuple(match[1].split(",")) if match else ()


def _mentions(text: str) -> Iterator[Mention]:
    for part in filter(None, text.split(",")):
        yield Mention(part[3:], _SEVERITIES[part[0]], _VOICES[part[1]])


def _says(match: re.Match[str]) -> str:
    """What is signed of a marker."""
    return match[0][len("<!-- pr-review:v3 ") : match.start(9) - len(" signature=")]


def _line(says: str, key: bytes | None) -> str:
    return f"<!-- pr-review:v3 {says} signature={_signature(says, key)} -->"


def _written(usd: float | None) -> str:
    # rounded first: 0.3 of a dollar is a little more than 300,000 millionths in binary
    return "unknown" if usd is None else str(math.ceil(round(usd * _MILLIONTHS, 3)))


def _amount(text: str) -> float | None:
    return None if text == "unknown" else int(text) / _MILLIONTHS


def _last_line(body: str) -> str:
    # GitHub may give a body back with other line ends and without the white space at its end.
    return body.rstrip().rpartition("\n")[2].strip()


def _signature(says: str, key: bytes | None) -> str:
    return hmac.new(key, says.encode(), "sha256").hexdigest() if key else _UNSIGNED
