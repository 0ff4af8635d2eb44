"""Looking names up takes a bounded number of steps, whatever a change holds; what they do not
reach is recorded as unresolved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import pytest

from pr_review.snapshot.dependencies import Resolved, Source, resolve
from pr_review.snapshot.dependencies import effort as bounds
from pr_review.snapshot.dependencies.effort import Effort, SpentError
from pr_review.snapshot.outline import Import, Outline, Scope, ScopeKind, Use
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Tools, prepare
from tests.snapshot.dependencies.repository import READER, found, missed, repository
from tests.snapshot.listing import NEW, Memory, NoSecrets, added, change

PHASES = 4
# The bounds of these tests: the real ones are ten times as high.
STEPS, STEPS_OF_ONE = 20_000, 1_000
Input = tuple[list[Source], list[str]]


@pytest.fixture(autouse=True)
def _lower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_STEPS", STEPS)
    monkeypatch.setattr(bounds, "MAX_STEPS_OF_ONE", STEPS_OF_ONE)


def _none(oids: Sequence[str]) -> Mapping[str, bytes]:
    return {}


def _source(
    path: str, uses: Sequence[Use], imports: Sequence[Import] = (), scopes: Sequence[Scope] = ()
) -> Source:
    outline = Outline("", tuple(scopes), tuple(uses), tuple(imports))
    return Source(path, outline, frozenset(use.line for use in uses))


def _calls(count: int, qualifier: str = "") -> list[Use]:
    return [Use(10_000 + n, f"x{n}", qualifier, call=True) for n in range(count)]


def _pairs(count: int, outer: ScopeKind, qualifier: str) -> Input:
    """The same name defined and used in each of many functions or types."""
    scopes, uses = [], []
    for n in range(count):
        at = 4 * n + 1
        scopes.append(Scope(f"outer{n}", outer, at, at, at, at + 3))
        scopes.append(Scope("go_on", ScopeKind.FUNCTION, at + 1, at + 1, at + 1, at + 1, 2 * n))
        uses.append(Use(at + 2, "go_on", qualifier, call=True))
    return [_source("a.py", uses, (), scopes)], []


def _stars(count: int) -> Input:
    """Files that take everything from all the others."""
    stars = [Import(n, f"./m{n}", "*", "") for n in range(count // 8)]
    return [_source(f"m{n}.ts", _calls(30), stars) for n in range(count // 8)], []


def _chain(count: int) -> Input:
    """Each file takes everything from the next one."""
    return [
        _source(f"m{n}.ts", _calls(10), [Import(1, f"./m{n + 1}", "*", "")]) for n in range(count)
    ], []


def _named_imports(path: str, module: str, files: str, count: int) -> Input:
    """Imports of many modules, in a tree with as many files."""
    imports = [Import(n, module.format(n), f"x{n}", f"x{n}") for n in range(count)]
    return [_source(path, _calls(count), imports)], [files.format(n) for n in range(count)]


def _deep(name: str, module: str, count: int) -> Input:
    """As many imports as there are folders above the file."""
    return _named_imports("d/" * count + name, module, "p{}/a.txt", count)


def _beside(suffix: str, module: str, count: int) -> Input:
    imports = [Import(1, module, "c", "c")]
    return [_source(f"d/f{n}{suffix}", _calls(1), imports) for n in range(count)], []


def _defaults(count: int) -> Input:
    """A default export that is called otherwise each time."""
    scopes = [Scope(f"g{n}", ScopeKind.FUNCTION, n + 1, n + 1, n + 1, n + 1) for n in range(count)]
    imports = [Import(n + 1, "./b", "default", f"x{n}") for n in range(count)]
    return [_source("a.ts", _calls(count), imports), _source("b.ts", (), (), scopes)], []


def _nested(count: int) -> Input:
    scopes = [
        Scope(f"f{n}", ScopeKind.FUNCTION, n + 1, n + 1, n + 1, 30_000 - n, n - 1 if n else None)
        for n in range(count)
    ]
    return [_source("a.py", _calls(count), (), scopes)], []


FAMILIES: dict[str, Callable[[int], Input]] = {
    "one name in many functions": lambda n: _pairs(n, ScopeKind.FUNCTION, ""),
    "calls of a member of many types": lambda n: _pairs(n, ScopeKind.TYPE, "value"),
    "star imports of star imports": _stars,
    "a chain of star imports": _chain,
    "packages with many folders": lambda n: _named_imports(
        "a.ts", "@o{}/core", "p{}/core/package.json", n
    ),
    "Java packages of one name": lambda n: _named_imports("a/X.java", "util", "p{}/util/A.java", n),
    "crates of one name": lambda n: _named_imports("a/x.rs", "core_{}", "p{}/core/src/lib.rs", n),
    "Go files of one name": lambda n: (
        [_source("a/x.go", _calls(n, "util"))],
        [f"p{k}/util.go" for k in range(n)],
    ),
    "a deep path of Python": lambda n: _deep("a.py", "k{}.z", n),
    "a deep path of Rust": lambda n: _deep("a.rs", "crate::k{}", n),
    "a deep path of TypeScript": lambda n: _deep("a.ts", "@/k{}", n),
    "a deep path of Go": lambda n: _deep("a.go", "x.com/a/b/c{}", n),
    "many files of TypeScript in a folder": lambda n: _beside(".ts", "react", n),
    "many files of Go in a folder": lambda n: _beside(".go", "x.com/a/b/c", n),
    "many Go modules": lambda n: (
        [
            _source(f"p{k}/x.go", [Use(2, "Z", "c", call=True)], [Import(1, "x.com/a/b/c", "", "")])
            for k in range(n)
        ],
        [f"p{k}/go.mod" for k in range(n)],
    ),
    "default exports of other names": _defaults,
    "functions in functions": _nested,
}


def _run(family: Callable[[int], Input], size: int) -> tuple[Resolved, int, float]:
    sources, others = family(size)
    tree = {path: path for path in (*others, *(source.path for source in sources))}
    effort = Effort()
    start = time.process_time()
    resolved = resolve(sources, tree, _none, READER, effort)
    return resolved, effort.taken, time.process_time() - start


@pytest.mark.parametrize("name", FAMILIES)
def test_four_times_the_input_takes_four_times_the_steps_or_ends_at_the_bound(name: str) -> None:
    _, few, short = _run(FAMILIES[name], 200)
    resolved, many, long = _run(FAMILIES[name], 800)
    assert many <= 5 * few + 1_000 or resolved.passed_over
    assert many <= PHASES * STEPS
    # What is done beside the steps grows no faster than they do.
    assert long < 12 * short * max(1, many / (4 * few)) + 0.5


def test_what_the_steps_do_not_reach_is_unresolved_and_everyday_names_are_not_missed() -> None:
    uses = [Use(1 + n, f"x{n}", "value", call=True) for n in range(STEPS // 10)]
    uses += [Use(len(uses) + 1, "len", call=True), Use(len(uses) + 1, "x.get", "x", call=True)]
    uses += [Use(len(uses) + 1, "get", "value", call=True)]
    resolved = resolve([_source("a.py", uses)], {"a.py": "1"}, _none, READER)
    assert resolved.passed_over > 0
    assert {d.state for d in resolved.missing} == {"unresolved"}
    assert len(resolved.missing) == resolved.passed_over
    assert not {"len", "get"} & {d.name for d in resolved.missing}


def test_one_name_that_leads_everywhere_leaves_the_steps_of_the_others() -> None:
    scopes = [Scope("go_on", ScopeKind.FUNCTION, n, n, n, n) for n in range(1, STEPS_OF_ONE + 2)]
    files = {"a.py": "+value.go_on()\n+helper()\n def helper(): ...", "b.py": "x = 1"}
    repo = repository(files)
    sources = [*repo.sources(), _source("z.py", (), (), scopes)]
    resolved = resolve(sources, repo.tree | {"z.py": "z"}, repo.blobs, READER)
    assert found(resolved) == ["helper a.py:3 < a.py:2"]
    assert missed(resolved) == ["unresolved go_on a.py:1"]
    assert resolved.passed_over == 1


def test_a_phase_ends_at_its_bound_and_the_next_has_steps_of_its_own() -> None:
    effort = Effort()
    while not effort.over:
        with effort.one():
            effort.take(STEPS_OF_ONE + 1)
    assert effort.taken == STEPS
    with pytest.raises(SpentError):
        effort.take()
    effort.begin()
    effort.take(3)
    assert (effort.taken, effort.over) == (STEPS + 3, False)


def test_no_name_is_looked_up_once_the_time_is_up() -> None:
    repo = repository({"a.py": "+helper()\n def helper(): ..."})
    late = resolve(repo.sources(), repo.tree, repo.blobs, READER, Effort(lambda: True))
    assert (found(late), missed(late)) == ([], ["unresolved helper a.py:1"])
    assert (late.passed_over, repo.asked) == (1, [])


def test_the_record_of_a_snapshot_tells_how_many_names_were_not_looked_up() -> None:
    count = STEPS // 10 + 50
    changed = added("a.py", count, "helper_{}(1)")
    text = b"".join(b"helper_%d(1)\n" % n for n in range(1, count + 1))
    ready = prepare(
        change(changed), SnapshotPolicy(), Tools(Memory({NEW: text}), READER, NoSecrets())
    )
    [said] = [stage.changed for stage in ready.stages if stage.name == "dependencies"]
    assert said.endswith(" names not looked up")
    assert f"{count} unresolved" in said
