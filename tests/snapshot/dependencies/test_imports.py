"""Imports are read from paths and manifests alone; a module that is not there is not guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from pr_review.snapshot.dependencies.imports import Imports, Target, manifests_wanted
from pr_review.snapshot.dependencies.tree import Tree
from pr_review.snapshot.outline import Import


def target(
    paths: str, importer: str, module: str, name: str = "", manifests: Mapping[str, str] = {}
) -> Target:
    imported = Import(1, module, name)
    files: list[tuple[str, Sequence[Import]]] = [(importer, (imported,))]
    tree = Tree([*paths.split(), importer, *manifests])
    wanted = manifests_wanted(tree, files)
    texts = {path: manifests[path].encode() for path in wanted if path in manifests}
    return Imports(tree, files, texts).target(importer, imported)


PYTHON = "a/__init__.py a/b.py a/c/__init__.py a/c/d.py a/json.py"


@pytest.mark.parametrize(
    ("module", "name", "files", "modules"),
    [
        ("a.b", "f", "a/b.py", ""),
        ("a.b", "", "a/b.py", "a/b.py"),
        ("a", "b", "a/__init__.py", "a/b.py"),
        (".", "b", "a/__init__.py", "a/b.py"),
        (".b", "f", "a/b.py", ""),
        (".c.d", "f", "a/c/d.py", ""),
        (".c", "d", "a/c/__init__.py", "a/c/d.py"),
        (".b", "*", "a/b.py", "a/b.py"),
        ("..", "a", "", "a/__init__.py"),
        ("......b", "f", "", ""),
    ],
)
def test_python(module: str, name: str, files: str, modules: str) -> None:
    got = target(PYTHON, "a/user.py", module, name)
    assert (got.files, got.modules, got.inside) == (
        tuple(files.split()),
        tuple(modules.split()),
        True,
    )


def test_a_sibling_module_does_not_shadow_the_standard_library() -> None:
    assert target(PYTHON, "a/user.py", "json") == Target()
    assert target("tools/helper.py", "tools/user.py", "helper").modules == ("tools/helper.py",)


@pytest.mark.parametrize("root", ["src/", "lib/", "services/web/", "services/web/src/"])
def test_python_layouts(root: str) -> None:
    got = target(f"{root}a/__init__.py {root}a/b.py", "services/web/tests/test_b.py", "a.b", "f")
    assert got.files == (f"{root}a/b.py",)


def test_a_package_of_this_repository_that_lacks_the_module_is_still_inside() -> None:
    assert target(PYTHON, "a/user.py", "a.gone", "f") == Target(inside=True)
    assert target(PYTHON, "a/user.py", "django.db", "models") == Target()


@pytest.mark.parametrize(
    ("module", "file"),
    [
        ("./x", "src/x.ts"),
        ("./x.js", "src/x.ts"),
        ("./x?raw", "src/x.ts"),
        ("./ui", "src/ui/index.tsx"),
        ("./ui/", "src/ui/index.tsx"),
        ("../top.mjs", "top.mjs"),
        ("./App.vue", "src/App.vue"),
        ("..", "index.js"),
    ],
)
def test_relative_modules_of_javascript(module: str, file: str) -> None:
    paths = "src/x.ts src/ui/index.tsx top.mjs src/App.vue index.js"
    assert target(paths, "src/user.ts", module).files == (file,)


@pytest.mark.parametrize("module", ["../../../etc/passwd", "./nothing", "../../x"])
def test_relative_modules_never_leave_the_tree(module: str) -> None:
    assert target("x.ts etc/passwd", "src/user.ts", module) == Target(inside=True)


TSCONFIG = """{
  // comments and trailing commas are allowed here
  "compilerOptions": {"baseUrl": ".", "paths": {"@app/*": ["app/*",], "cfg": ["conf/main.ts"]}},
}"""


@pytest.mark.parametrize(
    ("module", "file"),
    [
        ("@app/deep/x", "web/app/deep/x.ts"),
        ("cfg", "web/conf/main.ts"),
        ("conf/main", "web/conf/main.ts"),
    ],
)
def test_tsconfig_paths(module: str, file: str) -> None:
    paths = "web/app/deep/x.ts web/conf/main.ts"
    manifests = {"web/tsconfig.json": TSCONFIG}
    assert target(paths, "web/app/user.ts", module, "", manifests).files == (file,)


def test_a_tsconfig_extends_another() -> None:
    manifests = {
        "packages/a/tsconfig.json": '{"extends": "../../tsconfig.base"}',
        "tsconfig.base.json": '{"compilerOptions": {"paths": {"#lib/*": ["./shared/*"]}}}',
    }
    got = target("shared/x.ts", "packages/a/src/user.ts", "#lib/x", "", manifests)
    assert got.files == ("shared/x.ts",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"compilerOptions": []}',
        '{"compilerOptions": {"paths": {"@x/*": "no list"}, "baseUrl": 3}}',
        '{"compilerOptions": {"paths": {"@x/*": [{}, "../../../../*"]}, "baseUrl": "../../.."}}',
        '{"extends": ["a"]}',
        "\ufeff/* never closed",
        '{"a": "never closed',
    ],
)
def test_a_broken_or_hostile_tsconfig_finds_nothing(text: str) -> None:
    got = target("y.ts", "web/user.ts", "@x/y", "", {"web/tsconfig.json": text})
    assert got == Target()


@pytest.mark.parametrize(
    ("module", "file"),
    [
        ("@org/core", "packages/core/src/index.ts"),
        ("@org/core/util", "packages/core/src/util.ts"),
        ("@org/core/named", "packages/core/src/other.ts"),
    ],
)
def test_workspace_packages(module: str, file: str) -> None:
    manifest = """{"name": "@org/core", "main": "./dist/index.js", "exports": {
        ".": {"import": "./dist/index.mjs"}, "./named": ["./dist/other.js"]}}"""
    paths = "packages/core/src/index.ts packages/core/src/util.ts packages/core/src/other.ts"
    got = target(paths, "apps/web/user.ts", module, "", {"packages/core/package.json": manifest})
    assert got.files == (file,)


def test_the_entries_of_a_package_that_names_no_exports() -> None:
    manifest = '{"name": "tool", "main": "lib/start.js", "types": "./dist/d.d.ts"}'
    got = target("tool/start.ts", "web/user.ts", "tool", "", {"tool/package.json": manifest})
    assert got.files == ("tool/start.ts",)
    nothing = target("x.ts", "web/user.ts", "tool", "", {"tool/package.json": manifest})
    assert nothing == Target(inside=True)


def test_a_folder_called_like_a_package_is_not_that_package() -> None:
    manifests = {"packages/lodash/package.json": '{"name": "@org/lodash"}'}
    got = target("packages/lodash/index.js", "user.js", "lodash", "", manifests)
    assert got == Target()


def test_usual_aliases_without_a_tsconfig() -> None:
    assert target("web/src/a/b.ts", "web/src/user.vue", "@/a/b").files == ("web/src/a/b.ts",)
    assert target("", "web/src/user.vue", "@/gone") == Target(inside=True)


GO_FILES = "util/a.go util/b.go util/a_test.go tools/x/x.go vendor/github.com/z/z/z.go"


@pytest.mark.parametrize(
    ("module", "files"),
    [
        ("example.com/o/r/v2/util", "util/a.go util/b.go"),
        ("example.com/o/r/v2/tools/x", "tools/x/x.go"),
        ("example.com/o/r/v2/gone", ""),
    ],
)
def test_go_modules(module: str, files: str) -> None:
    manifests = {"go.mod": "// a comment\nmodule example.com/o/r/v2 // and more\n\ngo 1.22\n"}
    got = target(GO_FILES, "cmd/user.go", module, "", manifests)
    assert (got.modules, got.inside) == (tuple(files.split()), True)


def test_go_of_other_repositories_is_outside() -> None:
    manifests = {"go.mod": "module example.com/o/r\n"}
    for module in ("fmt", "github.com/z/z", "example.com/o/rest/util", "github.com/x/util"):
        assert target(GO_FILES, "cmd/user.go", module, "", manifests) == Target()


def test_nested_go_modules_the_longest_path_holds() -> None:
    manifests = {
        "go.mod": "module example.com/r\n",
        "api/go.mod": 'module "example.com/r/api/v3"\n',
    }
    got = target("api/types/t.go", "cmd/user.go", "example.com/r/api/v3/types", "", manifests)
    assert got.files == ("api/types/t.go",)


def test_go_without_a_module_file_is_its_own_import_path() -> None:
    got = target(GO_FILES, "cmd/user.go", "github.com/o/r/util")
    assert got.files == ("util/a.go", "util/b.go")
    assert target(GO_FILES, "cmd/user.go", "github.com/o/r/elsewhere") == Target()


RUST = (
    "crates/app/src/main.rs crates/app/src/a/mod.rs crates/app/src/a/b.rs crates/app/src/c.rs "
    "crates/my-core/src/lib.rs crates/my-core/src/model.rs crates/my-core/Cargo.toml"
)


@pytest.mark.parametrize(
    ("module", "name", "files", "modules"),
    [
        ("crate::a", "f", "crates/app/src/a/mod.rs", ""),
        ("crate::a", "b", "crates/app/src/a/mod.rs", "crates/app/src/a/b.rs"),
        ("crate::a::b", "T", "crates/app/src/a/b.rs", ""),
        ("crate::a::b::T", "new", "crates/app/src/a/b.rs", ""),
        ("self::b", "", "crates/app/src/a/b.rs", "crates/app/src/a/b.rs"),
        ("super", "f", "crates/app/src/main.rs", ""),
        ("super::c", "*", "crates/app/src/c.rs", "crates/app/src/c.rs"),
        ("my_core", "Model", "crates/my-core/src/lib.rs", ""),
        ("my_core::model", "Model", "crates/my-core/src/model.rs", ""),
    ],
)
def test_rust(module: str, name: str, files: str, modules: str) -> None:
    got = target(RUST, "crates/app/src/a/mod.rs", module, name)
    assert (got.files, got.modules) == (tuple(files.split()), tuple(modules.split()))


def test_rust_without_the_root_of_the_crate() -> None:
    """Its manifest may name any file; the others of the folder are what is left to look into."""
    paths = "base/src/model.rs base/src/disk.rs"
    got = target(paths, "cli/src/m.rs", "base", "Model")
    assert got.files == ("base/src/disk.rs", "base/src/model.rs")
    own = target(paths, "base/src/a/c.rs", "crate::model", "Model")
    assert own.files == ("base/src/model.rs",)
    assert target("core/src/fmt.rs", "cli/src/m.rs", "core::fmt", "Debug") == Target()


def test_rust_crates_that_are_not_of_the_workspace_are_outside() -> None:
    for module in ("std::collections", "serde", "super::super::super::super::super::x"):
        assert not target(RUST, "crates/app/src/c.rs", module, "X").files


def test_a_rust_crate_in_a_folder_of_a_shorter_name() -> None:
    manifests = {"core/Cargo.toml": '[package]\nname = "tool-core"\n'}
    paths = "core/src/lib.rs"
    assert target(paths, "cli/src/m.rs", "tool_core", "X", manifests).files == ("core/src/lib.rs",)
    other = {"core/Cargo.toml": '[package]\nname = "other-core"\n'}
    assert target(paths, "cli/src/m.rs", "tool_core", "X", other) == Target()
    broken = {"core/Cargo.toml": "[package\nname = "}
    assert target(paths, "cli/src/m.rs", "tool_core", "X", broken) == Target()


JAVA = (
    "app/src/main/java/org/x/Store.java app/src/main/java/org/x/io/Files.kt "
    "app/src/test/java/org/x/Store.java lib/src/org/y/Other.java"
)


@pytest.mark.parametrize(
    ("module", "name", "first"),
    [
        ("org.x", "Store", "app/src/main/java/org/x/Store.java"),
        ("org.x.Store", "open", "app/src/main/java/org/x/Store.java"),
        ("org.x.io", "readAll", "app/src/main/java/org/x/io/Files.kt"),
        ("org.y", "*", "lib/src/org/y/Other.java"),
    ],
)
def test_java_and_kotlin(module: str, name: str, first: str) -> None:
    got = target(JAVA, "app/src/main/java/org/x/web/User.java", module, name)
    assert got.files[0] == first
    assert got.inside


def test_java_of_libraries_is_outside() -> None:
    assert target(JAVA, "app/src/main/java/org/x/User.java", "java.util", "List") == Target()


@pytest.mark.parametrize(
    ("module", "file"),
    [
        ("./helper", "app/models/helper.rb"),
        ("tool/run", "lib/tool/run.rb"),
        ("concerns/named", "app/models/concerns/named.rb"),
        ("json", ""),
        ("../../../../x", ""),
    ],
)
def test_ruby(module: str, file: str) -> None:
    paths = "app/models/helper.rb lib/tool/run.rb app/models/concerns/named.rb other/json.rb x.rb"
    assert target(paths, "app/models/user.rb", module).files == tuple(file.split())


def test_a_header_stands_for_the_files_that_implement_it() -> None:
    paths = "src/list.c include/util/list.h src/other.c"
    got = target(paths, "src/main.c", "./util/list.h")
    assert got.files == ("include/util/list.h", "src/list.c")


def test_other_languages_by_the_name_of_what_is_imported() -> None:
    paths = "src/Model/OrderLine.php src/Model/Order.php"
    got = target(paths, "src/Web/User.php", "App\\Model", "OrderLine")
    assert got.files == ("src/Model/OrderLine.php",)


def test_manifests_are_few_and_only_those_that_imports_need() -> None:
    tree = Tree([f"p{n}/package.json" for n in range(40)] + ["web/tsconfig.json", "go.mod"])
    bare = [Import(1, f"p{n}", "x", "x") for n in range(40)]
    assert len(manifests_wanted(tree, [("web/user.ts", bare)])) == 20
    assert manifests_wanted(tree, [("web/user.ts", [Import(1, "./x", "x", "x")])]) == ()
    assert manifests_wanted(tree, [("user.go", [Import(1, "fmt", "", "fmt")])]) == ()
