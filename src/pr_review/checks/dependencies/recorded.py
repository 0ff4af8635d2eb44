"""Reads what lock files record of the manifests they lock."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from pr_review.checks.dependencies.declared import gem_spec, normal_name, npm_table, version_spec
from pr_review.checks.dependencies.tables import (
    ANY,
    NOTHING,
    Direct,
    Pool,
    Table,
    json_object,
    merged,
    objects,
    toml_packages,
)

_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')
_YAML_PAIR = re.compile(r"""( *)(?:'([^']*)'|"([^"]*)"|([^\s'"#][^:]*)):(?: +(.*))?""")
_PNPM_TABLES = ("dependencies", "devDependencies", "optionalDependencies")
_OF_WORKSPACE = re.compile(r'^source = \{ (?:editable|virtual) = "', re.MULTILINE)
_UV_ELSEWHERE = ("git", "url", "path", "editable", "directory", "virtual")
_GEM_LINE = re.compile(r"  ([^\s(!]+)(?: \(([^)]*)\))?!?")
_MIX_LINE = re.compile(r'\s*"([^"]+)": \{')


def package_lock(text: str) -> Direct:
    """npm's, from lockfile version 2: the older one repeats no requirements."""
    packages = objects(json_object(text).get("packages"))
    own = {key: value for key, value in packages.items() if "node_modules/" not in f"{key}/"}
    return Direct({key: npm_table(value) for key, value in own.items()})


def bun_lock(text: str) -> Direct:
    lock = json_object(_TRAILING_COMMA.sub(lambda m: m[1] or "", text))
    return Direct({key: npm_table(value) for key, value in objects(lock.get("workspaces")).items()})


def pnpm_lock(text: str) -> Direct:
    tables: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for keys, value in _yaml_pairs(text, {"importers", "specifiers", *_PNPM_TABLES}):
        folder, rest = (keys[1], keys[2:]) if keys[0] == "importers" and keys[1:] else (".", keys)
        member = tables["" if folder == "." else folder]
        if len(rest) == 2 and rest[0] == "specifiers":
            member[rest[1]] = frozenset({value})
        elif len(rest) == 3 and rest[0] in _PNPM_TABLES and rest[2] == "specifier":
            member[rest[1]] = member.get(rest[1], NOTHING) | {value}
    return Direct(dict(tables))


def yarn_lock(text: str) -> Pool:
    """Both of Yarn's formats: `name@range`, and `name@npm:range` since version 2."""
    keys = (
        key.strip(' "')
        for line in text.split("\n")
        if line.endswith(":") and line[0] not in " #"
        for key in line[:-1].split(", ")
    )
    return Pool(frozenset(pair for key in keys for pair in _yarn_entries(key)))


def cargo_lock(text: str) -> Direct:
    """The crates of the workspace have no source."""
    return Direct(
        {
            str(package["name"]): merged(
                (str(asked).split()[0], "") for asked in _list(package.get("dependencies"))
            )
            for package in toml_packages(text, lambda block: "\nsource = " not in block)
        }
    )


def uv_lock(text: str) -> Direct:
    tables: dict[str, Table] = {}
    for package in toml_packages(text, _OF_WORKSPACE.search):
        source = objects(package.get("source"))
        folder = str(source.get("editable") or source.get("virtual"))
        metadata = objects(package.get("metadata"))
        lists = [metadata.get("requires-dist"), *objects(metadata.get("requires-dev")).values()]
        asked = (objects(item) for items in lists for item in _list(items))
        tables["" if folder == "." else folder] = merged(
            (normal_name(str(item["name"])), _uv_spec(item)) for item in asked
        )
    return Direct(tables)


def gemfile_lock(text: str) -> Direct:
    _, found, tail = text.partition("\nDEPENDENCIES\n")
    if not found:
        raise ValueError("no DEPENDENCIES section")
    section = tail.partition("\n\n")[0]
    lines = filter(None, (_GEM_LINE.fullmatch(line) for line in section.split("\n")))
    return Direct({"": merged((m[1], gem_spec([m[2] or ""])) for m in lines)})


def go_sum(text: str) -> Pool:
    fields = (line.split() for line in text.split("\n"))
    return Pool(frozenset((f[0], f[1].removesuffix("/go.mod")) for f in fields if len(f) == 3))


def mix_lock(text: str) -> Pool:
    return Pool(frozenset((m[1], "") for m in map(_MIX_LINE.match, text.split("\n")) if m))


def _yarn_entries(key: str) -> Iterator[tuple[str, str]]:
    at = key.find("@", 1)
    if at > 0:
        yield key[:at], key[at + 1 :]
        yield key[:at], key[at + 1 :].removeprefix("npm:")


def _uv_spec(item: dict[str, object]) -> str:
    if any(key in item for key in _UV_ELSEWHERE):
        return ANY
    return version_spec(str(item.get("specifier", "")))


def _yaml_pairs(text: str, sections: Iterable[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """(path of keys, value) of block mappings below some top-level keys, for pnpm's plain YAML."""
    stack: list[tuple[int, str]] = []
    wanted = frozenset(sections)
    for line in text.split("\n"):
        inside = bool(stack) and stack[0][1] in wanted
        if line.startswith(" ") and not inside:
            continue
        if not (match := _YAML_PAIR.fullmatch(line.rstrip())):
            continue
        depth = len(match[1])
        while stack and stack[-1][0] >= depth:
            stack.pop()
        stack.append((depth, match[2] or match[3] or match[4] or ""))
        if stack[0][1] in wanted:
            yield tuple(key for _, key in stack), (match[5] or "").strip("'\"")


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
