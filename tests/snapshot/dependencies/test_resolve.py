"""In which order a name is looked up, what is recorded of those not found, and the limits."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence

import pytest

from pr_review.snapshot.dependencies import Source, resolve
from pr_review.snapshot.outline import Import, Outline, Scope, ScopeKind, Use
from tests.snapshot.dependencies.repository import READER, found, missed, repository


def test_the_same_file_comes_before_an_import() -> None:
    repo = repository(
        {
            "a.py": """
             from b import helper
             def helper(): ...
             def f():
            +    helper()
            """,
            "b.py": "def helper(): ...",
        }
    )
    assert found(repo.resolve()) == ["helper a.py:2 < a.py:4"]
    assert repo.asked == []


def test_an_import_comes_before_a_file_of_that_name() -> None:
    repo = repository(
        {
            "app/a.py": """
             from app.lib import save_all
            +save_all()
            """,
            "app/lib.py": "def save_all(): ...",
            "app/save_all.py": "def save_all(): ...",
        }
    )
    assert found(repo.resolve()) == ["save_all app/lib.py:1 < app/a.py:2"]


def test_an_alias_is_looked_up_by_its_own_name() -> None:
    repo = repository(
        {
            "a.py": """
             from b import helper as h
            +h()
            """,
            "b.py": "def h(): ...\ndef helper(): ...",
        }
    )
    assert found(repo.resolve()) == ["helper b.py:2 < a.py:2"]


def test_only_what_changed_lines_use_and_nothing_that_that_uses() -> None:
    repo = repository(
        {
            "a.py": """
             from b import one, two
             two()
            +one()
            """,
            "b.py": "def one(): return deeper()\ndef two(): ...\ndef deeper(): ...",
        }
    )
    assert found(repo.resolve()) == ["one b.py:1 < a.py:3"]


def test_a_definition_around_its_own_use_is_left_out() -> None:
    repo = repository(
        {
            "a.py": """
             def fact(n):
            +    return n * fact(n - 1)
            +fact(3)
            """
        }
    )
    assert found(repo.resolve()) == ["fact a.py:1 < a.py:3"]
    alone = repository({"a.py": " def fact(n):\n+    return fact(n - 1)"})
    assert (found(alone.resolve()), missed(alone.resolve())) == ([], [])


def test_a_definition_that_is_itself_new_counts() -> None:
    repo = repository({"a.py": "+def f(): ...\n+f()"})
    assert found(repo.resolve()) == ["f a.py:1 < a.py:2"]


def test_users_are_gathered_over_files_and_names() -> None:
    repo = repository(
        {
            "z.py": "+from lib import f\n+f(); f()\n+f()",
            "a.py": "+import lib\n+lib.f()",
            "lib.py": "def f(): ...",
        }
    )
    assert found(repo.resolve()) == ["f lib.py:1 < a.py:2 z.py:2 z.py:3"]


SAVE = "class Store:\n    def persist(self): ...\n"


def test_a_method_of_an_unknown_value_is_found_where_the_file_imports_from() -> None:
    repo = repository(
        {
            "app/a.py": " from app.store import make\n def f(x):\n+    make().persist()\n",
            "app/store.py": SAVE + "def make(): ...",
            "app/other.py": SAVE,
        }
    )
    assert found(repo.resolve()) == [
        "persist app/store.py:2 < app/a.py:3",
        "make app/store.py:3 < app/a.py:3",
    ]


def test_several_candidates_are_ambiguous_and_none_is_taken() -> None:
    repo = repository(
        {
            "app/a.py": " def f(x):\n+    x.persist()\n",
            "app/b.py": SAVE,
            "app/c.py": SAVE,
        }
    )
    assert (found(repo.resolve()), missed(repo.resolve())) == (
        [],
        ["ambiguous persist app/a.py:2"],
    )


def test_the_qualifier_tells_which_type_is_meant() -> None:
    repo = repository(
        {
            "app/a.py": " def f(disk_store):\n+    disk_store.persist()\n",
            "app/b.py": SAVE,
            "app/c.py": "class DiskStore:\n    def persist(self): ...",
        }
    )
    assert found(repo.resolve()) == ["persist app/c.py:2 < app/a.py:2"]


def test_a_candidate_outside_of_tests_is_preferred() -> None:
    repo = repository(
        {
            "app/tests/test_a.py": " def f(x):\n+    x.persist()\n",
            "app/tests/fakes.py": SAVE,
            "app/b.py": "+" + SAVE.replace("\n", "\n+").removesuffix("+"),
        }
    )
    assert "persist app/tests/fakes.py:2 < app/tests/test_a.py:2" in found(repo.resolve())
    both = repository(
        {
            "app/a.py": " def f(x):\n+    x.persist()\n",
            "app/b/x.py": "+" + SAVE.replace("\n", "\n+").removesuffix("+"),
            "app/test_x.py": "+" + SAVE.replace("\n", "\n+").removesuffix("+"),
        }
    )
    assert "persist app/b/x.py:2 < app/a.py:2" in found(both.resolve())


def test_common_members_of_unknown_values_mean_nothing() -> None:
    repo = repository({"a.py": " def f(x):\n+    x.get(1)\n class C:\n     def get(self): ..."})
    assert (found(repo.resolve()), missed(repo.resolve())) == ([], [])


def test_what_is_not_found_is_recorded_once_a_file_and_builtins_are_not() -> None:
    repo = repository(
        {
            "pkg/__init__.py": "",
            "pkg/a.py": """
             import os
             from requests import get
             from pkg.gone import thing
            +def f(value):
            +    print(len(value), value.whatever(), os.getcwd(), os.getcwd())
            +    thing(get(value), undefined_helper())
            +    thing(SomeType)
            """,
        }
    )
    assert missed(repo.resolve()) == [
        "outside getcwd pkg/a.py:5",
        "outside get pkg/a.py:6",
        "unresolved thing pkg/a.py:6",
        "unresolved undefined_helper pkg/a.py:6",
    ]


def test_a_blob_that_is_gone_leaves_its_names_unresolved() -> None:
    files = {"a.py": " from b import f\n+f()", "b.py": "def f(): ..."}
    repo = repository(files, lost=["b.py"])
    assert missed(repo.resolve()) == ["unresolved f a.py:2"]
    assert repo.resolve().looked_at == 1


def test_one_round_trip_and_the_texts_that_hold_definitions() -> None:
    repo = repository(
        {
            "a.py": " from b import f\n from c import g\n+f(g)\n",
            "b.py": "def f(): ...",
            "c.py": "G = 1",
        }
    )
    resolved = repo.resolve()
    assert repo.asked == [["b.py", "c.py"]]
    assert (resolved.looked_at, dict(resolved.texts)) == (2, {"b.py": repo.texts["b.py"]})


def test_at_most_50_blobs_manifests_included() -> None:
    names = [f"name{n}" for n in range(80)]
    repo = repository(
        {
            "go.mod": "module example.com/m\n",
            "cmd/main.go": "\n".join(
                [" package main", ' import "example.com/m/lib"', " func main() {"]
                + [f"+\tlib.{name.title()}()" for name in names]
                + [" }"]
            ),
        }
        | {f"lib/{name}.go": f"package lib\nfunc {name.title()}() {{}}" for name in names}
    )
    resolved = repo.resolve()
    assert [len(asked) for asked in repo.asked] == [1, 49]
    assert resolved.looked_at == 50
    assert len(resolved.definitions) == 49
    assert len(resolved.missing) == 31


def test_names_that_source_uses_are_fetched_before_those_of_tests() -> None:
    wide = "\n".join(
        [*(f" from lib.m{n} import f{n}" for n in range(60)), *(f"+f{n}()" for n in range(60))]
    )
    files = {f"lib/m{n}.py": f"def f{n}(): ..." for n in range(60)}
    files |= {
        "lib/__init__.py": "",
        "lib/z.py": "def z(): ...",
        "a_tests/test_a.py": wide,
        "src.py": " from lib.z import z\n+z()",
    }
    assert "z lib/z.py:1 < src.py:2" in found(repository(files).resolve())


def test_the_order_of_the_input_changes_nothing() -> None:
    repo = repository(
        {
            f"app/m{n}.py": f" from app.m{(n + 1) % 6} import f{(n + 1) % 6}\n"
            f"+def f{n}(x): x.run_it(f{(n + 1) % 6}(), gone{n}())\n+class C{n}:\n"
            f"+    def run_it(self): ..."
            for n in range(6)
        }
        | {"app/lib.py": "class D:\n    def run_it(self): ..."}
    )
    first = repo.resolve()
    shuffle = random.Random(3).sample
    for _ in range(4):
        sources = shuffle(repo.sources(), 6)
        tree = dict(shuffle(sorted(repo.tree.items()), len(repo.tree)))
        assert resolve(sources, tree, repo.blobs, READER) == first


def test_hostile_outlines_end() -> None:
    """Files that export everything from one another, names without letters, no scopes at all."""
    star = (Import(1, "./b", "*", ""), Import(1, "./a", "*", ""))
    uses = (
        Use(2, "x", "", call=True),
        Use(2, "", "?", call=True),
        Use(2, "y", "..::..", call=True),
    )
    sources = [
        Source(path, Outline("typescript", (), uses, star), frozenset([2]))
        for path in ("a.ts", "b.ts", "no-suffix", ".ts")
    ]
    resolved = resolve(sources, {s.path: str(n) for n, s in enumerate(sources)}, _none, READER)
    assert resolved.definitions == ()


def test_a_large_tree_is_indexed_not_searched() -> None:
    """200 names in a tree of 60,000 files; searching it for each would take minutes."""
    tree = {f"pkg{n % 300}/mod{n}/file{n}.go": str(n) for n in range(60_000)}
    scopes = tuple(Scope(f"f{n}", ScopeKind.FUNCTION, n, n, n, n) for n in range(1, 101))
    uses = tuple(Use(n, f"missing{n}", "", call=True) for n in range(200, 300))
    uses += tuple(Use(n, f"method{n}", "x", call=True) for n in range(300, 400))
    source = Source("pkg1/mod1/a.go", Outline("go", scopes, uses), frozenset(range(200, 400)))
    resolved = resolve([source], tree, _none, READER)
    assert len(resolved.missing) == 100


def test_nothing_asked_of_nothing() -> None:
    resolved = resolve([], {}, _none, READER)
    assert (resolved.definitions, resolved.missing, resolved.looked_at) == ((), (), 0)


@pytest.mark.parametrize("text", [b"", b"\0\xff\xfe", b"(" * 50_000, b"def f(:\n" * 100])
def test_a_fetched_file_that_cannot_be_read_holds_no_definition(text: bytes) -> None:
    repo = repository({"a.py": " from b import missing\n+missing()", "b.py": ""})
    repo.texts["b.py"] = text
    assert missed(repo.resolve()) == ["unresolved missing a.py:2"]


def _none(oids: Sequence[str]) -> Mapping[str, bytes]:
    return {}


@pytest.mark.parametrize("suffix", [".go", ".ts", ".java", ".rb"])
def test_a_huge_folder_is_looked_into_by_words(suffix: str) -> None:
    """500 names beside 5,000 files: comparing all with all would take most of a minute."""
    tree = {f"p/thing{n}{suffix}": str(n) for n in range(5_000)} | {f"p/index{suffix}": "i"}
    uses = tuple(Use(n, f"makeThing{n}", "x" * (n % 2), call=True) for n in range(500))
    star = (Import(1, "./index", "*", ""),)
    source = Source(f"p/a{suffix}", Outline("", (), uses, star), frozenset(range(500)))
    asked: list[str] = []

    def blobs(oids: Sequence[str]) -> Mapping[str, bytes]:
        asked.extend(oids)
        return {}

    assert resolve([source], tree, blobs, READER).looked_at == len(asked) == 50
    assert set(asked) & {str(n) for n in range(500)}


def test_a_large_tree_in_linear_time() -> None:
    """Ten times the paths may not cost a hundred times the work."""
    costs = []
    for size in (3_000, 30_000):
        tree = {f"pkg{n % 97}/d{n % 13}/file{n}.py": str(n) for n in range(size)}
        uses = tuple(Use(n, f"name{n}", "x", call=True) for n in range(200))
        source = Source("pkg1/d1/a.py", Outline("python", (), uses), frozenset(range(200)))
        start = time.process_time()
        resolve([source], tree, _none, READER)
        costs.append(time.process_time() - start)
    assert costs[1] < 40 * costs[0] + 0.5


def test_barrels_that_export_one_another_are_each_looked_into_once() -> None:
    """60 files that all export everything of all others: following every path never ends."""
    names = [f"m{n}" for n in range(60)]
    stars = tuple(Import(n, f"./{name}", "*", "") for n, name in enumerate(names))
    uses = tuple(Use(n, f"x{n}", "", call=True) for n in range(30))
    sources = [Source(f"{name}.ts", Outline("", (), uses, stars), frozenset([1])) for name in names]
    tree = {source.path: source.path for source in sources}
    resolved = resolve(sources, tree, _none, READER)
    assert {d.name for d in resolved.missing} == {"x1"}
