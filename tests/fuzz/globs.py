"""Globs and rules of paths: no pattern is an error, and each matches what people mean by it."""

from __future__ import annotations

from functools import cache

from pr_review.domain.globs import matches
from pr_review.domain.path_rule import PathRule, reviewers, ruled_tier


def check(data: bytes) -> None:
    """A pattern a line, the last line is the path."""
    *globs, path = data.decode("utf-8", "surrogateescape").split("\n")
    hits = [matches(path, [glob]) for glob in globs]
    assert matches(path, globs) == any(hits)
    rules = [PathRule((glob,), agents=(glob,)) for glob in globs if glob]
    holding = [rule for rule in rules if rule.holds_for(path)]
    assert reviewers(rules, path) == (holding[-1].agents if holding else ())
    assert ruled_tier(rules, path) is None
    for glob, hit in zip(globs, hits, strict=True):
        if not set(glob) & set("{}[]"):
            assert hit == _means(_anchored(glob), path)


def _anchored(glob: str) -> str:
    pattern = glob.removeprefix("/")
    if pattern.endswith("/"):
        return pattern + "**"
    return pattern if "/" in pattern else f"**/{pattern}"


def _means(pattern: str, path: str) -> bool:
    """Whether a pattern of `*`, `**` and `?` matches, character by character."""

    @cache
    def rest(i: int, j: int) -> bool:
        if pattern.startswith("**/", i):
            folders = [k + 1 for k in range(j, len(path)) if path[k] == "/"]
            return any(rest(i + 3, k) for k in (j, *folders))
        if pattern.startswith("**", i):
            return any(rest(i + 2, k) for k in range(j, len(path) + 1))
        if i == len(pattern):
            return j == len(path)
        if pattern[i] == "*":
            return rest(i + 1, j) or (j < len(path) and path[j] != "/" and rest(i, j + 1))
        alike = j < len(path) and (path[j] == pattern[i] or (pattern[i] == "?" and path[j] != "/"))
        return alike and rest(i + 1, j + 1)

    return rest(0, 0)
