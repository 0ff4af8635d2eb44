"""Process entry: takes the environment away before anything else runs.

A process's initial environment can be read in `/proc/PID/environ` by every process of the
same user, also after `os.environ` was changed. So the program starts itself anew with what is
harmless, and gets the rest through a file that has no name.
https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html
"""

from __future__ import annotations

import json
import os
import sys

from pr_review.adapters.actions import cancellation

_HANDED_OVER = "PR_REVIEW_ENVIRONMENT_FD"
_HARMLESS = (
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "COLUMNS", "XDG_CACHE_HOME",
    "KF_RULE_CACHE_DIR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy",
    "https_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
)  # fmt: skip
_HARMLESS_PREFIXES = ("PYTHON", "COVERAGE_")


def main() -> None:
    """Runs the program with the environment it was started with, and exits with its code."""
    try:
        cancellation.listen()
        environ = _take_environment()
        from pr_review import app  # noqa: PLC0415 - not before the environment is taken

        sys.exit(app.main(sys.argv[1:], environ))
    finally:
        if cancellation.cancelled():
            cancellation.kill_children()
            cancellation.defer()  # Python takes its handlers away before it has ended


def _take_environment() -> dict[str, str]:
    """The environment that the program was started with; starts it anew where it can be read."""
    handed_over = os.environ.pop(_HANDED_OVER, "")
    if handed_over.isdigit():
        with os.fdopen(int(handed_over), "rb") as file:
            file.seek(0)
            taken: dict[str, str] = json.loads(file.read())
        return taken
    if not hasattr(os, "memfd_create"):  # only Linux shows environments to others this way
        return dict(os.environ)
    _start_anew()
    raise AssertionError("exec returned")


def _start_anew() -> None:
    fd = os.memfd_create("environment", 0)
    os.write(fd, json.dumps(dict(os.environ)).encode())
    os.set_inheritable(fd, True)  # noqa: FBT003 - the library's signature
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _HARMLESS or name.startswith(_HARMLESS_PREFIXES)
    }
    arguments = [sys.executable, *sys.orig_argv[1:]]
    cancellation.defer()
    os.execve(sys.executable, arguments, {**kept, _HANDED_OVER: str(fd)})  # noqa: S606


if __name__ == "__main__":
    main()
