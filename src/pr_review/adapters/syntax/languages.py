"""The languages that have a grammar, as data: to add one is a row here and a query file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Language:
    """A grammar, and which files it reads.

    `package` is imported on first use and `factory` called in it. `queries` are the files of
    `queries/` that belong together: what stands first wins. `files` are suffixes with their dot,
    or whole file names, in lower case. `separator` stands between the names of a path that an
    import writes as one (`a::b`). `ignored` are words that the grammar takes for names and that
    are defined nowhere: a test of them in the query would cost more than all else in it.
    """

    name: str
    package: str
    files: tuple[str, ...]
    queries: tuple[str, ...]
    factory: str = "language"
    separator: str = "."
    ignored: frozenset[str] = frozenset()


_ECMASCRIPT = frozenset({"undefined", "arguments"})


LANGUAGES = (
    Language(
        "python",
        "tree_sitter_python",
        (".py", ".pyi", ".pyw"),
        ("python",),
        ignored=frozenset({"self", "cls"}),
    ),
    Language(
        "javascript",
        "tree_sitter_javascript",
        (".js", ".jsx", ".mjs", ".cjs"),
        ("javascript", "ecmascript", "jsx"),
        ignored=_ECMASCRIPT,
    ),
    Language(
        "typescript",
        "tree_sitter_typescript",
        (".ts", ".mts", ".cts"),
        ("typescript", "ecmascript"),
        "language_typescript",
        ignored=_ECMASCRIPT,
    ),
    Language(
        "tsx",
        "tree_sitter_typescript",
        (".tsx",),
        ("typescript", "ecmascript", "jsx"),
        "language_tsx",
        ignored=_ECMASCRIPT,
    ),
    Language(
        "go", "tree_sitter_go", (".go",), ("go",), ignored=frozenset({"_", "nil", "true", "false"})
    ),
    Language("rust", "tree_sitter_rust", (".rs",), ("rust",), separator="::"),
    Language("java", "tree_sitter_java", (".java",), ("java",)),
    Language(
        "ruby",
        "tree_sitter_ruby",
        (".rb", ".rake", ".gemspec", ".ru", "gemfile", "rakefile"),
        ("ruby",),
        separator="::",
    ),
    Language("c", "tree_sitter_c", (".c",), ("c",)),
    # C++ reads headers of C too; the other way round it does not hold
    Language(
        "cpp",
        "tree_sitter_cpp",
        (".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl"),
        ("cpp", "c"),
        separator="::",
    ),
    Language("csharp", "tree_sitter_c_sharp", (".cs",), ("c_sharp",)),
    Language("php", "tree_sitter_php", (".php",), ("php",), "language_php", "\\"),
    Language("kotlin", "tree_sitter_kotlin", (".kt", ".kts"), ("kotlin",)),
    Language("scala", "tree_sitter_scala", (".scala", ".sc"), ("scala",)),
    Language(
        "bash",
        "tree_sitter_bash",
        (".sh", ".bash", ".bats"),
        ("bash",),
        ignored=frozenset({".", "source"}),
    ),
    Language("swift", "tree_sitter_swift", (".swift",), ("swift",)),
)

_BY_FILE = {file: language for language in LANGUAGES for file in language.files}


def language_of(path: str) -> Language | None:
    """The language that a path's name tells, or None."""
    name = PurePosixPath(path).name.lower()
    return _BY_FILE.get(name) or _BY_FILE.get(PurePosixPath(name).suffix)
