"""Reads the dependency tables of manifests, and nothing else of them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator

from pr_review.checks.dependencies.tables import ANY, Table, json_object, merged, objects

_NPM = ("dependencies", "devDependencies", "optionalDependencies")
_NPM_WITH_PEERS = (*_NPM, "peerDependencies")
_UNCOMPARABLE = re.compile(r"(?:workspace|link|portal|file|catalog|patch|exec|git\+?\w*|https?):")

_PEP508 = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*([^;]*)")
_GEM = re.compile(r"""\s*gem[\s(]\s*["']([^"']+)["']((?:\s*,\s*["'][^"'\n]*["'])*)""")
_QUOTED = re.compile(r"""["']([^"']*)["']""")
_GO_REQUIRE = re.compile(r"\s*(?:require\s+)?([^\s()]+)\s+(v[^\s()]+)\s*(?://.*)?")
_GO_BLOCK = re.compile(r"(require|replace|exclude|retract|ignore|tool|godebug)\s*\(")
_MIX = re.compile(r'\{\s*:([a-z_]\w*)\s*,\s*("[^"{}]*"|git:|github:|hex:)([^{}]*)\}')


def npm(text: str) -> Table:
    return npm_table(json_object(text))


def npm_table(manifest: object) -> Table:
    """Of a manifest, or of what a lock file repeats of one."""
    return merged(_npm(objects(manifest), _NPM_WITH_PEERS))


def npm_without_peers(text: str) -> Table:
    return merged(_npm(json_object(text), _NPM))


def pnpm_overrides(text: str) -> object:
    """What makes pnpm record another requirement than the table asks for."""
    manifest = json_object(text)
    return objects(manifest.get("pnpm")).get("overrides"), manifest.get("resolutions")


def yarn(text: str) -> Table:
    """As npm, but what Yarn writes in a form of its own cannot be compared."""
    asked = _npm(json_object(text), _NPM)
    return merged((name, ANY if _UNCOMPARABLE.match(spec) else spec) for name, spec in asked)


def cargo(text: str) -> Table:
    """Names alone: a lock file says which crates a crate uses, not what it asked for."""
    manifest = tomllib.loads(text)
    places = [manifest, *map(objects, objects(manifest.get("target")).values())]
    return merged(
        (str(objects(asked).get("package", name)), "")
        for place in places
        for kind in ("dependencies", "dev-dependencies", "build-dependencies")
        for name, asked in objects(place.get(kind)).items()
    )


def cargo_name(text: str) -> str:
    return str(objects(tomllib.loads(text).get("package")).get("name", ""))


def pep621(text: str) -> Table:
    """`[project]`, `[dependency-groups]` and uv's older `dev-dependencies`."""
    pyproject = tomllib.loads(text)
    project = objects(pyproject.get("project"))
    uv = objects(objects(pyproject.get("tool")).get("uv"))
    sources = {normal_name(name) for name in objects(uv.get("sources"))}
    lists = [project.get("dependencies"), uv.get("dev-dependencies")]
    lists += objects(project.get("optional-dependencies")).values()
    lists += objects(pyproject.get("dependency-groups")).values()
    asked = (item for items in lists if isinstance(items, list) for item in items)
    found = (_requirement(item) for item in asked if isinstance(item, str))
    return merged((name, ANY if name in sources else spec) for name, spec in found if name)


def poetry(text: str) -> Table:
    """All that Poetry resolves, table by table: its lock file holds one hash of it."""
    pyproject = tomllib.loads(text)
    tool = objects(objects(pyproject.get("tool")).get("poetry"))
    groups = objects(tool.get("group"))
    tables = {key: tool.get(key) for key in ("dependencies", "dev-dependencies")}
    for name, group in groups.items():
        tables[f"group {name}"] = objects(group).get("dependencies")
    return {**pep621(text), **merged(_entries(tables))}


def pdm(text: str) -> Table:
    pyproject = tomllib.loads(text)
    groups = objects(objects(objects(pyproject.get("tool")).get("pdm")).get("dev-dependencies"))
    asked = (item for items in groups.values() if isinstance(items, list) for item in items)
    found = (_requirement(item) for item in asked if isinstance(item, str))
    return {**pep621(text), **merged((name, f"dev {spec}") for name, spec in found)}


def pipfile(text: str) -> Table:
    manifest = tomllib.loads(text)
    return merged(_entries({key: manifest.get(key) for key in ("packages", "dev-packages")}))


def composer(text: str) -> Table:
    manifest = json_object(text)
    return merged(_entries({key: manifest.get(key) for key in ("require", "require-dev")}))


def gemfile(text: str) -> Table:
    """`gem` lines with literal requirements."""
    lines = filter(None, map(_GEM.match, text.split("\n")))
    return merged((m[1], gem_spec(_QUOTED.findall(m[2]))) for m in lines)


def gem_spec(parts: list[str]) -> str:
    """Requirements of a gem in one order and one form: `1.2` is `= 1.2`."""
    single = (one.strip() for part in parts for one in part.split(","))
    return ", ".join(sorted(one if one[:1] in "<>=~!" else f"= {one}" for one in single if one))


def go_mod(text: str) -> Table:
    """Required modules but those that a `replace` directive sends elsewhere."""
    required: list[tuple[str, str]] = []
    replaced: set[str] = set()
    block = ""
    for line in text.split("\n"):
        if match := _GO_BLOCK.match(line):
            block = match[1]
        elif line.startswith(")"):
            block = ""
        elif "=>" in line:
            replaced.add(line.removeprefix("replace").split()[0])
        elif block == "require" or line.startswith("require"):
            required += [(m[1], m[2]) for m in [_GO_REQUIRE.fullmatch(line)] if m]
    return merged((name, version) for name, version in required if name not in replaced)


def mix(text: str) -> Table:
    """Names alone, without dependencies by path."""
    return merged(
        (name, "")
        for name, _, options in _MIX.findall(text)
        if "path:" not in options and "in_umbrella:" not in options
    )


def normal_name(name: str) -> str:
    """A Python project's name in the one form that is compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def version_spec(text: str) -> str:
    """A version specifier of PEP 440 without spaces, its parts in one order."""
    return ",".join(sorted(part.strip().replace(" ", "") for part in text.strip("() ").split(",")))


def _requirement(text: str) -> tuple[str, str]:
    match = _PEP508.match(text)
    if not match:
        return "", ""
    spec = ANY if match[2].startswith("@") else version_spec(match[2])
    return normal_name(match[1]), spec


def _npm(manifest: dict[str, object], tables: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for key in tables:
        for name, spec in objects(manifest.get(key)).items():
            yield name, spec if isinstance(spec, str) else ANY


def _entries(tables: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Every entry of some tables; which table it stands in is part of its requirement."""
    for key, table in tables.items():
        for name, asked in objects(table).items():
            yield name, f"{key} {json.dumps(asked, sort_keys=True, default=str)}"
