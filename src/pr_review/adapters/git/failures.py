"""What git's last words mean, and what to do about them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pr_review.errors import ServerUnreachable, SnapshotError


@dataclass(frozen=True, slots=True)
class _Known:
    """A failure that is known by its words, and its remedy.

    `server`: the server was not reached, or refused. `passing`: it may work a moment later.
    """

    words: str
    remedy: str
    server: bool = True
    passing: bool = False


_RIGHTS = (
    "github-token may not read the repository: add `contents: read` to the job's permissions, "
    "and check that the token has not expired"
)
# In order: what stands further down would also match some of what stands above it.
_KNOWN = (
    _Known(
        r"error: 407|response 407|code 407",
        "the proxy asks for a name and a password: put them into https_proxy",
    ),
    _Known(
        r"resolve proxy|CONNECT tunnel|from proxy|proxy CONNECT|SOCKS",
        "the proxy does not let git through: check http_proxy, https_proxy and no_proxy",
    ),
    _Known(
        r"error (?:adding|setting) (?:trust|certificate)|reading ca cert",
        "the certificates in ca-bundle cannot be read: give PEM text",
    ),
    _Known(
        r"(?i)certificate|\bSSL\b|\bTLS\b|gnutls",
        "the server's certificate is not trusted here: give the PEM text of the authority that "
        "signed it in ca-bundle; or the address is not one for https",
    ),
    _Known(r"Authentication failed|could not read (?:Username|Password)|error: 40[13]\b", _RIGHTS),
    _Known(
        r"repository '' not found|error: 4(?:04|10)\b",
        "there is no such repository, or github-token may not read it: check GITHUB_REPOSITORY, "
        "and add `contents: read` to the job's permissions",
    ),
    _Known(
        r"error: 3\d\d\b|redirect",
        "the server sends git to another address, which is not followed because the token would "
        "go along: if the repository was renamed or moved, run the workflow from its new place",
    ),
    _Known(r"error: 429\b", "the server has had too many requests: run again in some minutes"),
    _Known(r"error: 5\d\d\b|HTTP 5\d\d", "the server is in trouble: run again later", passing=True),
    _Known(
        r"not valid: is this a git repository|error: 4\d\d\b|protocol error|bad line length|"
        r"invalid (?:ls-refs|server) response|expected (?:flush|service)",
        "what answered does not speak git: check GITHUB_SERVER_URL, and the proxy",
    ),
    _Known(
        r"resolve host|Failed to connect|Couldn't connect|Connection (?:refused|timed out)",
        "check the network, GITHUB_SERVER_URL, and the proxy variables",
        passing=True,
    ),
    _Known(
        r"not our ref|unadvertised object|remote ref|did not send all necessary objects",
        "it is no longer on the server, most often because the branch was force-pushed: the run "
        "for the new head reviews it",
        server=False,
    ),
    _Known(
        r"No space left|Disk quota",
        "free some space in the folder for temporary files (TMPDIR)",
        server=False,
    ),
    _Known(
        "Operation too slow",
        "the server takes connections and says nothing: check the network and the proxy",
    ),
    _Known(
        r"unable to access|RPC failed|hung up|early EOF|unexpected disconnect|Empty reply|"
        r"could not fetch|Recv failure|reset by peer|invalid index-pack",
        "the connection broke off: check the network, and run again",
        passing=True,
    ),
)
_QUOTED = re.compile(r"'[^']*'")  # addresses and paths, which may hold any word
_PATTERNS = tuple((re.compile(known.words), known) for known in _KNOWN)


def failure(command: str, stderr: bytes) -> SnapshotError:
    """The error for a git command that failed, with git's telling line and what to do.

    `ServerUnreachable` where the server was not reached or refused.
    """
    lines = [line for line in stderr.decode("utf-8", "replace").split("\n") if line.strip()]
    for pattern, known in _PATTERNS:
        line = next((line for line in lines if pattern.search(_QUOTED.sub("''", line))), "")
        if not line:
            continue
        message = f"git {command} failed: {line[:300]}"
        if known.server:
            return ServerUnreachable(message, remedy=known.remedy, passing=known.passing)
        return SnapshotError(message, remedy=known.remedy)
    return SnapshotError(f"git {command} failed: {lines[-1][:300] if lines else 'no message'}")
