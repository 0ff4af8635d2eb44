"""What the release workflow asks of the tree: may it be released, and what its commit changes.

Run from the checkout's top level as `python3 -m scripts.release COMMAND`, with nothing but the
standard library; answers are `name=value` lines, as `GITHUB_OUTPUT` takes them.

  plan REPOSITORY     checks version, changelog and tags; prints version, tag, major, image and base
  index < JSON        prints the digest of an image that stands for both platforms
  notes               prints what the changelog says of the version
  pin-base DIGEST     writes the digest of its base into the Dockerfile
  pin-image IMAGE     makes action.yml run IMAGE, which is named by digest
"""

# ruff: noqa: T201 - what it prints is its answer

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PLATFORMS = {"linux/amd64", "linux/arm64"}
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_IMAGE = re.compile(rf"[a-z0-9.-]+(?::[0-9]+)?(?:/[a-z0-9._-]+)+@{_DIGEST.pattern}")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_FROM = re.compile(r"^(FROM )([\w./:-]+)(?:@sha256:[0-9a-f]+)?((?: AS \w+)?)$", re.MULTILINE)
_BUILT = re.compile(r"^(  image: )Dockerfile$", re.MULTILINE)


class NotReleasableError(Exception):
    """One line: what stands in the way of a release, and what to do."""


def version(root: Path) -> str:
    """The version that the package says it has."""
    text = (root / "src/pr_review/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    if not found or not _VERSION.fullmatch(found[1]):
        raise NotReleasableError("src/pr_review/__init__.py: no version of the form 1.2.3")
    return found[1]


def notes(root: Path) -> str:
    """What the changelog says of the version, which is its newest and leaves nothing unreleased."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    changes = {head: body.strip() for head, _, body in (s.partition("\n") for s in sections)}
    if changes.pop("[Unreleased]", ""):
        raise NotReleasableError("CHANGELOG.md: move what stands below Unreleased to the version")
    newest, name = next(iter(changes), ""), version(root)
    if not re.fullmatch(rf"\[{re.escape(name)}\] - \d{{4}}-\d\d-\d\d", newest):
        raise NotReleasableError(f"CHANGELOG.md: the newest section is not [{name}] with a date")
    return changes[newest]


def base(root: Path) -> str:
    """The one image that all stages of the Dockerfile start from, without a digest."""
    text = (root / "Dockerfile").read_text(encoding="utf-8")
    names: set[str] = {name for _, name, _ in _FROM.findall(text)}
    if len(names) != 1:
        raise NotReleasableError(f"Dockerfile: one base was expected, not {sorted(names)}")
    return names.pop()


def plan(root: Path, repository: str) -> dict[str, str]:
    """The names of the release.

    Raises:
        NotReleasableError: the changelog does not tell of the version, or it is not above all tags.
    """
    if not re.fullmatch(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", repository):
        raise NotReleasableError(f"{repository!r} is not a repository of the form OWNER/NAME")
    name = version(root)
    notes(root)
    for tag in _tags(root):
        if _numbers(tag) >= _numbers(name):
            raise NotReleasableError(f"v{name} is not above the tag v{tag}: raise __version__")
    return {
        "version": name,
        "tag": f"v{name}",
        "major": f"v{_numbers(name)[0]}",
        "image": f"ghcr.io/{repository.lower()}",  # a registry takes no capitals
        "base": base(root),
    }


def digest(index: str) -> str:
    """The digest in what `imagetools inspect --format '{{json .Manifest}}'` prints.

    Raises:
        NotReleasableError: it is not an image for both platforms.
    """
    found = json.loads(index)
    platforms = [manifest.get("platform", {}) for manifest in found.get("manifests", [])]
    missing = PLATFORMS - {f"{p.get('os')}/{p.get('architecture')}" for p in platforms}
    if missing:
        raise NotReleasableError(f"the image has nothing for {', '.join(sorted(missing))}")
    return _digest(str(found["digest"]))


def pin_base(root: Path, pinned: str) -> None:
    """Writes the digest behind the base's name, wherever the Dockerfile starts from it."""
    file, known = root / "Dockerfile", _digest(pinned)
    text = _FROM.sub(rf"\g<1>{base(root)}@{known}\g<3>", file.read_text(encoding="utf-8"))
    file.write_text(text, encoding="utf-8")


def pin_image(root: Path, image: str) -> None:
    """Makes `action.yml` pull the image instead of building it; nothing else in it changes."""
    if not _IMAGE.fullmatch(image):
        raise NotReleasableError(f"{image!r} does not name an image by its digest")
    file = root / "action.yml"
    text, count = _BUILT.subn(rf"\g<1>docker://{image}", file.read_text(encoding="utf-8"))
    if count != 1:
        raise NotReleasableError("action.yml: no line, or more than one, says `image: Dockerfile`")
    file.write_text(text, encoding="utf-8")


def _tags(root: Path) -> list[str]:
    """The versions that are released, of which each has a tag."""
    command = ["git", "-C", str(root), "tag", "--list", "v*"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = [line.removeprefix("v") for line in listed.split("\n")]
    return [name for name in names if _VERSION.fullmatch(name)]


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.split("."))


def _digest(text: str) -> str:
    if not _DIGEST.fullmatch(text):
        raise NotReleasableError(f"{text!r} is not a digest of the form sha256:...")
    return text


def _lines(values: dict[str, str]) -> str:
    return "\n".join(f"{name}={value}" for name, value in values.items())


COMMANDS: dict[str, Callable[[Path, str], str | None]] = {
    "plan": lambda root, repository: _lines(plan(root, repository)),
    "index": lambda _, __: f"digest={digest(sys.stdin.read())}",
    "notes": lambda root, _: notes(root),
    "pin-base": pin_base,
    "pin-image": pin_image,
}


def main(arguments: list[str]) -> int:
    """Answers one command: 0, or 1 with a line that says what stands in the way."""
    parser = argparse.ArgumentParser(prog="python3 -m scripts.release")
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("value", nargs="?", default="")
    words = parser.parse_args(arguments)
    try:
        answer = COMMANDS[words.command](Path.cwd(), words.value)
    except NotReleasableError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if answer:
        print(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
