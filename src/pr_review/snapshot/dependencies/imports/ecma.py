"""JavaScript and TypeScript: relative modules, tsconfig paths, packages of the workspace."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pr_review.snapshot.dependencies.imports.target import Target, World
from pr_review.snapshot.dependencies.languages import ECMA
from pr_review.snapshot.dependencies.manifests import table_of, text_of
from pr_review.snapshot.dependencies.tree import Tree, join
from pr_review.snapshot.dependencies.words import squeeze
from pr_review.snapshot.outline import Import

# A TypeScript file is imported under the name that its compiled form will have.
_COMPILED = {
    ".js": (".ts", ".tsx", ".js", ".jsx"),
    ".jsx": (".tsx", ".jsx"),
    ".mjs": (".mts", ".mjs"),
    ".cjs": (".cts", ".cjs"),
}
_ENDINGS = ("", *ECMA.suffixes[:8], ".d.ts", *(f"/index{end}" for end in ECMA.suffixes[:8]))
# Where bundlers' usual aliases point to, from the package's own folder.
_ALIASES = {"@/": ("src", ""), "~/": ("src", "app", ""), "$lib/": ("src/lib",)}
_BUILT = frozenset(["dist", "build", "lib", "out", "es", "esm", "cjs"])
_MOST_STRINGS = 50
_MOST_EXTENDED = 8
_CONFIGS = ("tsconfig.json", "jsconfig.json")


def manifests(tree: Tree, path: str, imports: Sequence[Import]) -> Iterator[str]:
    """The package.json of folders whose name sounds like that of an imported package, and the
    tsconfig files around, nearest first: one of them decides, others are what it may extend.
    """
    bare = dict.fromkeys(i.module for i in imports if not i.module.startswith("."))
    if not bare:
        return
    for module in bare:
        for folder in _package_folders(tree, module):
            yield posixpath.join(folder, "package.json")
    for folder in tree.around(path):
        yield from tree.tsconfigs(folder)


class Ecma:
    def __init__(self, world: World) -> None:
        self._tree = world.tree
        self._manifests = world.manifests
        self._packages = self._named_packages()
        self._read: dict[str, list[tuple[str, str, list[str]]]] = {}

    def target(self, path: str, imported: Import) -> Target:
        module = imported.module.split("?", 1)[0]
        if module.startswith("."):
            files = self._files(join(posixpath.dirname(path), module))
            return Target(files, files, inside=True)
        files = self._mapped(path, module) or self._package(module) or self._aliased(path, module)
        return Target(files, files, inside=bool(files) or self._owned(module))

    def _files(self, base: str | None) -> tuple[str, ...]:
        """The files that a module at this path may be: exact, compiled, extended, an index."""
        if base is None:
            return ()
        stem, ending = posixpath.splitext(base)
        names = [stem + source for source in _COMPILED.get(ending, ())]
        names += [base + more if base else more.lstrip("/") for more in _ENDINGS]
        return tuple(dict.fromkeys(name for name in names if name in self._tree))

    def _mapped(self, path: str, module: str) -> tuple[str, ...]:
        """Through `paths` and `baseUrl` of the nearest tsconfig.json; what lies above it, or
        beside it under another name, has no say:
        https://www.typescriptlang.org/docs/handbook/tsconfig-json.html
        """
        for folder in self._tree.around(path):
            for name in _CONFIGS:
                config = posixpath.join(folder, name)
                if config in self._tree:
                    return self._through(self._options(config), module)
        return ()

    def _options(self, config: str) -> list[tuple[str, str, list[str]]]:
        """(folder, pattern, replacements) of a tsconfig and those it extends in the repository: of
        each option the nearest value counts.
        """
        if config not in self._read:
            chain = self._chain(config)
            based = [
                (file, url) for file in chain if (url := _option(self._table(file), "baseUrl"))
            ]
            base = join(posixpath.dirname(based[0][0]), text_of(based[0][1])) if based else None
            mapped = [file for file in chain if _option(self._table(file), "paths")]
            found: list[tuple[str, str, list[str]]] = []
            if mapped and (base is not None or not based):
                folder = posixpath.dirname(mapped[0]) if base is None else base
                found = _paths(folder, _option(self._table(mapped[0]), "paths"))
            self._read[config] = found if base is None else [*found, (base, "*", ["*"])]
        return self._read[config]

    def _chain(self, config: str) -> list[str]:
        """A tsconfig and what it extends, nearest first: of a list the last one is nearest."""
        chain: list[str] = []
        todo = [config]
        while todo and len(chain) < _MOST_EXTENDED:
            file = todo.pop()
            if file not in chain:
                chain.append(file)
                extended = self._table(file).get("extends")
                bases = extended if isinstance(extended, list) else [extended]
                found = (self._extended(file, text_of(base)) for base in bases[:_MOST_EXTENDED])
                todo += filter(None, found)
        return chain

    def _extended(self, config: str, base: str) -> str:
        path = join(posixpath.dirname(config), base) if base.startswith(".") else None
        names = () if path is None else (path, f"{path}.json", posixpath.join(path, _CONFIGS[0]))
        return next((name for name in names if name in self._tree), "")

    def _table(self, config: str) -> Mapping[str, Any]:
        return self._manifests.table(config)

    def _through(self, options: list[tuple[str, str, list[str]]], module: str) -> tuple[str, ...]:
        self._tree.effort.take(len(options))
        for folder, pattern, replacements in options:
            before, star, after = pattern.partition("*")
            whole = module == pattern
            fits = module.startswith(before) and module.endswith(after) and star
            if not whole and (not fits or len(module) < len(before) + len(after)):
                continue
            middle = module[len(before) : len(module) - len(after)] if star else ""
            for replacement in replacements:
                files = self._files(join(folder, replacement.replace("*", middle, 1)))
                if files:
                    return files
        return ()

    def _package(self, module: str) -> tuple[str, ...]:
        """A package of the workspace, by the name in its package.json; none if several have it."""
        name, inner = _package_name(module)
        folders = self._packages.get(name, ())
        if len(folders) != 1:
            return ()
        manifest = self._manifests.table(posixpath.join(folders[0], "package.json"))
        for entry in _entries(manifest, inner):
            files = self._files(join(folders[0], entry))
            if files:
                return files
        return ()

    def _aliased(self, path: str, module: str) -> tuple[str, ...]:
        for alias, roots in _ALIASES.items():
            if module.startswith(alias):
                for folder in self._tree.around(path):
                    for root in roots:
                        base = posixpath.join(folder, root)
                        files = self._files(join(base, module.removeprefix(alias)))
                        if files:
                            return files
        return ()

    def _owned(self, module: str) -> bool:
        """Whether a module that was not found is one of this repository all the same."""
        return module.startswith(tuple(_ALIASES)) or _package_name(module)[0] in self._packages

    def _named_packages(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self._manifests.named("package.json"):
            name = text_of(self._manifests.table(path).get("name"))
            if name:
                found.setdefault(name, []).append(posixpath.dirname(path))
        return found


def _option(table: Mapping[str, Any], name: str) -> Any:
    return table_of(table.get("compilerOptions")).get(name)


def _package_name(module: str) -> tuple[str, str]:
    """`@scope/name/a/b` is `@scope/name` and `a/b`."""
    parts = module.split("/")
    size = 2 if module.startswith("@") else 1
    return "/".join(parts[:size]), "/".join(parts[size:])


def _package_folders(tree: Tree, module: str) -> Iterator[str]:
    """Folders with a package.json that are named like a package, with or without its scope."""
    name, _ = _package_name(module)
    last = name.rpartition("/")[2]
    for spelled in dict.fromkeys((squeeze(last), squeeze(name.replace("/", "").lstrip("@")))):
        for folder in tree.folders_named(spelled):
            if posixpath.join(folder, "package.json") in tree:
                yield folder


def _paths(base: str, paths: Any) -> list[tuple[str, str, list[str]]]:
    """The patterns of `paths`, the most special first."""
    found = []
    for pattern, replacements in table_of(paths).items():
        if isinstance(replacements, list):
            found.append((base, pattern, [text_of(r) for r in replacements if text_of(r)]))
    return sorted(found, key=lambda option: (-len(option[1].partition("*")[0]), option[1]))


def _entries(manifest: Any, inner: str) -> Iterator[str]:
    """Paths below a package that may be the source of one of its entries."""
    exported = table_of(manifest.get("exports")).get(f"./{inner}" if inner else ".")
    named = list(_strings(exported))
    if not inner:
        named += [text_of(manifest.get(key)) for key in ("source", "types", "module", "main")]
    for entry in filter(None, named):
        yield entry
        head, _, rest = entry.removeprefix("./").partition("/")
        if head in _BUILT and rest:
            stem = posixpath.splitext(rest.replace(".d.", "."))[0]
            yield f"src/{stem}"
            yield stem
    for folder in ("src", "", "lib"):
        yield posixpath.join(folder, inner or "index")


def _strings(value: Any) -> list[str]:
    """The texts in a conditional export, outermost first; bounded."""
    found: list[str] = []
    todo = [value]
    while todo and len(found) < _MOST_STRINGS:
        item = todo.pop(0)
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
    return found
