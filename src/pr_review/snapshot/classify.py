"""Which tier a file belongs to: whole path segments, exact names and suffixes decide.

Sources of the rules: the lock files of the ecosystems' own documentation, and the kinds of
rules of github-linguist (https://github.com/github-linguist/linguist), written anew as data.
What a person writes (`requirements.txt`, `package.json`, workflow files) is source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from pathlib import PurePosixPath

from pr_review.domain.diff import FileChange
from pr_review.domain.ledger import Tier

LOCK_FILES = frozenset(
    """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
    Cargo.lock go.sum go.work.sum poetry.lock uv.lock pdm.lock Pipfile.lock pixi.lock
    conda-lock.yml Gemfile.lock composer.lock mix.lock rebar.lock Podfile.lock Package.resolved
    Cartfile.resolved pubspec.lock packages.lock.json project.assets.json paket.lock
    gradle.lockfile buildscript-gradle.lockfile .terraform.lock.hcl flake.lock stack.yaml.lock
    cabal.project.freeze Manifest.toml renv.lock conan.lock MODULE.bazel.lock pylock.toml
    """.split()
)
GENERATED_SEGMENTS = frozenset(
    """
    node_modules vendor third_party third-party bower_components jspm_packages
    Godeps __generated__ dist build out target .next .nuxt .svelte-kit .terraform
    site-packages .yarn Pods Carthage coverage htmlcov storybook-static
    """.split()
)
# Common names of folders people also write code in: generated only at the top of a package.
_TOP_ONLY = frozenset(["dist", "build", "out", "target", "coverage", "vendor"])
GENERATED_SUFFIXES = (
    ".min.js", ".min.css", ".min.mjs", ".bundle.js", ".chunk.js", ".js.map", ".css.map",
    ".ts.map", ".mjs.map", ".map", ".pb.go", ".pb.cc", ".pb.h", ".pb.rs", "_pb2.py", "_pb2.pyi",
    "_pb2_grpc.py", "_pb.js", "_pb.ts", "_pb.d.ts", ".pb.gw.go", ".g.dart", ".freezed.dart",
    ".g.cs", ".designer.cs", ".generated.ts", ".generated.js", ".generated.go", ".generated.cs",
    ".gen.go", ".gen.ts", ".graphql.ts", "_generated.go", "zz_generated.deepcopy.go",
    ".tsbuildinfo", ".lock",
)  # fmt: skip
ASSET_SUFFIXES = (
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".bmp", ".tiff", ".svg", ".psd",
    ".ai", ".eps", ".pdf", ".mp3", ".mp4", ".wav", ".ogg", ".webm", ".mov", ".woff", ".woff2",
    ".ttf", ".otf", ".eot", ".zip", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".tar", ".jar", ".war",
    ".whl", ".exe", ".dll", ".so", ".dylib", ".a", ".o", ".class", ".pyc", ".wasm", ".bin",
    ".dat", ".db", ".sqlite", ".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".xlsx", ".docx",
    ".pptx", ".pem", ".p12", ".crt", ".glb", ".gltf", ".po", ".pot", ".mo", ".xlf", ".log",
)  # fmt: skip
SNAPSHOT_SEGMENTS = frozenset(
    ["__snapshots__", "__image_snapshots__", "snapshots", "goldens", "golden"]
)
SNAPSHOT_SUFFIXES = (".snap", ".snapshot", ".golden", ".ambr", ".approved.txt", ".received.txt")
TEST_SEGMENTS = frozenset(
    """
    test tests __tests__ testing spec specs e2e testdata test-data test_data fixtures fixture
    __fixtures__ __mocks__ mocks cypress playwright integration-tests integration_tests testutil
    testutils test-utils androidTest
    """.split()
)
_TEST_NAME = re.compile(
    r"(?:^test_.+|.+_test|.+_spec|.+[.-](?:test|spec|cy|e2e|stories)|.+Tests?|.*[a-z]IT|conftest)$"
)
PROSE_SUFFIXES = (".md", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".textile", ".org", ".rdoc")
CONFIG_SUFFIXES = (
    ".json", ".json5", ".jsonc", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties",
    ".xml", ".plist", ".env", ".editorconfig", ".gitignore", ".gitattributes", ".mod", ".gradle",
    ".csproj", ".sln", ".lockb", ".nix", ".hcl", ".tfvars",
)  # fmt: skip
# What a person writes although it looks like prose.
_WRITTEN = frozenset(["requirements.txt", "constraints.txt", "CMakeLists.txt", "robots.txt"])

_MARKER = re.compile(
    r"@generated\b|\b(?:auto-?)?generated (?:by|from|code|file)\b|\bdo not (?:edit|modify)\b"
    r"|\bautomatically generated\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|<!--|--|;|%|\"\"\"|''')")
_HEAD_LINES = 12


class Kind(IntEnum):
    """Within source, code is kept before configuration, configuration before prose."""

    PROSE = 0
    CONFIG = 1
    CODE = 2


@dataclass(frozen=True, slots=True)
class Classified:
    """A file's tier, its kind within source, and the marker in its text that lowered it."""

    tier: Tier
    kind: Kind
    marker: str = ""

    @property
    def rank(self) -> tuple[int, int]:
        """Order of loss: the lowest goes first."""
        return (self.tier, self.kind if self.tier is Tier.SOURCE else 0)


def classify(file: FileChange, *, marked: bool, head: str) -> Classified:
    """`marked`: the base's attributes say generated or vendored. `head`: the file's text.

    A rename is judged on where the file ended up. A marker in a comment at the top of
    `head` lowers the tier and is named; it never hides a file.
    """
    tier = Tier.GENERATED if marked else path_tier(file.path)
    if tier <= Tier.ASSET:
        return Classified(tier, Kind.CODE)
    marker = _marker(head) or _minified(file)
    return Classified(Tier.GENERATED if marker else tier, _kind(file.path), marker)


def path_tier(path: str) -> Tier:
    """The tier that a path alone gives."""
    pure = PurePosixPath(path)
    name, folders = pure.name, pure.parts[:-1]
    lower = name.lower()
    if name in LOCK_FILES or lower.endswith(GENERATED_SUFFIXES) or _in_generated(folders):
        return Tier.GENERATED
    if any(part in SNAPSHOT_SEGMENTS for part in folders) and _in_tests(folders):
        return Tier.SNAPSHOT
    if "__snapshots__" in folders or lower.endswith(SNAPSHOT_SUFFIXES):
        return Tier.SNAPSHOT
    if lower.endswith(ASSET_SUFFIXES):
        return Tier.ASSET
    if _in_tests(folders) or _TEST_NAME.match(name.split(".", 1)[0]) or _TEST_NAME.match(pure.stem):
        return Tier.TEST
    return Tier.SOURCE


def _in_generated(folders: tuple[str, ...]) -> bool:
    for depth, part in enumerate(folders):
        if part in GENERATED_SEGMENTS and (part not in _TOP_ONLY or _package_top(folders, depth)):
            return True
    return False


def _package_top(folders: tuple[str, ...], depth: int) -> bool:
    """`build/` at the root or right below a package; `src/build/` and `lib/out/` are code."""
    return not {"src", "lib", "app", "pkg", "internal", "cmd", "source"} & set(folders[:depth])


def _in_tests(folders: tuple[str, ...]) -> bool:
    return any(part in TEST_SEGMENTS or part.endswith(("-tests", "_tests")) for part in folders)


def _kind(path: str) -> Kind:
    name = PurePosixPath(path).name
    lower = name.lower()
    if name in _WRITTEN or re.fullmatch(r"requirements[-_.\w]*\.txt", lower):
        return Kind.CONFIG
    if lower.endswith(PROSE_SUFFIXES) or lower in ("license", "changelog", "readme", "authors"):
        return Kind.PROSE
    if lower.endswith(CONFIG_SUFFIXES) or name.startswith("."):
        return Kind.CONFIG
    return Kind.CODE


def _marker(head: str) -> str:
    """A sentence in a comment of the first lines that says the file is generated."""
    for line in head.split("\n", _HEAD_LINES)[:_HEAD_LINES]:
        match = _MARKER.search(line[:300])
        if match and _COMMENT.match(line):
            return match[0].lower()
    return ""


def _minified(file: FileChange) -> str:
    """Long lines throughout: nobody wrote them by hand."""
    longest = total = count = 0
    for line in file.lines:
        longest, total, count = max(longest, len(line.text)), total + len(line.text), count + 1
    return "minified" if longest > 2_000 and total > 500 * count else ""
