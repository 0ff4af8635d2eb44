"""Finds the definitions of names that changed lines use; never those that they use in turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from pr_review.domain.ledger import Dependency, DependencyState
from pr_review.snapshot.dependencies.bindings import in_force, last_of
from pr_review.snapshot.dependencies.effort import Effort
from pr_review.snapshot.dependencies.imports import Imports, manifests_wanted
from pr_review.snapshot.dependencies.languages import (
    COMMON_MEMBERS,
    PYTHON,
    Again,
    Language,
    language_of,
)
from pr_review.snapshot.dependencies.lookup import Lookup
from pr_review.snapshot.dependencies.model import Definition, Resolved, Source
from pr_review.snapshot.dependencies.plan import Planner
from pr_review.snapshot.dependencies.shelf import Indexed, Place, Shelf
from pr_review.snapshot.dependencies.steps import Plan, Wanted
from pr_review.snapshot.dependencies.tree import Tree, is_test
from pr_review.snapshot.dependencies.words import squeeze
from pr_review.snapshot.outline import Scope, ScopeKind
from pr_review.snapshot.ports import Blobs, SyntaxReader

MAX_BLOBS = 50
# What it takes to make a plan, whatever it holds.
_STEPS_OF_A_PLAN = 10

# A name and where to look for it, if that was worked out.
_Name: TypeAlias = tuple[Wanted, Plan | None]


def resolve(
    sources: Sequence[Source],
    tree: Mapping[str, str],
    blobs: Blobs,
    reader: SyntaxReader,
    effort: Effort | None = None,
) -> Resolved:
    """The definitions of the names that changed lines of the sources use, in the head commit.

    `tree` is the object id of every regular file by path. Asks for at most 50 blobs, in at
    most two round trips. Equal input gives an equal result, in whatever order it comes. Names that
    the effort does not reach are `unresolved`; a new effort is a fixed number of steps.
    """
    effort = effort or Effort()
    ordered = sorted(sources, key=lambda source: source.path)
    index = Tree(tree, effort)
    files = [(source.path, source.outline.imports) for source in ordered]
    configs = manifests_wanted(index, files)
    manifests = _fetched(configs, tree, blobs)
    imports = Imports(index, files, manifests)
    names = _names(ordered, Planner(index, imports, effort), effort)
    at_hand = Lookup(Shelf(ordered, {}, reader), imports, effort)
    changed = {source.path for source in ordered}
    candidates = [path for path in _candidates(names, at_hand, effort) if path not in changed]
    chosen = candidates[: MAX_BLOBS - len(configs)]
    texts = manifests | _fetched(chosen, tree, blobs)
    shelf = Shelf(ordered, texts, reader)
    account = _settled(names, Lookup(shelf, imports, effort), effort)
    return account.result(shelf, len(configs) + len(chosen))


def _fetched(paths: Sequence[str], tree: Mapping[str, str], blobs: Blobs) -> dict[str, bytes]:
    if not paths:
        return {}
    found = blobs(list(dict.fromkeys(tree[path] for path in paths)))
    return {path: found[tree[path]] for path in paths if tree[path] in found}


def _names(sources: Sequence[Source], planner: Planner, effort: Effort) -> list[_Name]:
    """What changed lines use, names that only tests use last; without a plan those that the
    effort does not reach.
    """
    effort.begin()
    found: list[_Name] = []
    for source in sorted(sources, key=lambda source: (is_test(source.path), source.path)):
        language = language_of(source.path)
        if language is not None:
            own = Indexed(source.path, source.outline, source.text)
            for wanted in _by_line(_wanted(source, language), own):
                plan = None
                if not effort.over:
                    with effort.one():
                        effort.take(_STEPS_OF_A_PLAN)
                        plan = planner.plan(wanted, own)
                found.append((wanted, plan))
    return found


def _wanted(source: Source, language: Language) -> Iterator[Wanted]:
    """The names of a file, each once for the innermost scope that it is used in."""
    found: dict[tuple[str, str, bool, Scope | None], list[int]] = defaultdict(list)
    around: dict[int, tuple[Scope, ...]] = {}
    for use in source.outline.uses:
        if use.line in source.changed:
            if use.line not in around:
                around[use.line] = source.outline.around(use.line)
            inner = around[use.line][-1:]
            key = (use.name, use.qualifier, use.call, inner[0] if inner else None)
            found[key].append(use.line)
    for (name, qualifier, call, _), used in found.items():
        lines = tuple(sorted(set(used)))
        yield Wanted(source.path, language, name, qualifier, call, around[used[0]], lines)


def _by_line(names: Iterable[Wanted], own: Indexed) -> Iterator[Wanted]:
    """Uses of one name apart where a Python file binds it again between them."""
    for wanted in names:
        root = wanted.parts[0] if wanted.parts else wanted.name
        if wanted.language is not PYTHON or len(wanted.lines) == 1 or own.times(root) < 2:
            yield wanted
            continue
        lines: dict[object, list[int]] = defaultdict(list)
        for line in wanted.lines:
            lines[in_force(root, wanted.around, line, own)].append(line)
        for part in lines.values():
            yield replace(wanted, lines=tuple(part))


def _candidates(names: Sequence[_Name], lookup: Lookup, effort: Effort) -> list[str]:
    """The files that are worth a look, the likeliest first."""
    effort.begin()
    best: dict[str, tuple[int, int, int]] = {}
    for order, (wanted, plan) in enumerate(names):
        if plan is not None and not effort.over:
            with effort.one():
                for step in plan.steps:
                    if lookup.find(step, wanted):
                        break
                    for position, path in enumerate(step.files):
                        rank = (*step.priority(position), order)
                        best[path] = min(rank, best.get(path, rank))
    return sorted(best, key=lambda path: (best[path], path))


def _settled(names: Sequence[_Name], lookup: Lookup, effort: Effort) -> _Account:
    effort.begin()
    account = _Account()
    for wanted, plan in names:
        done = False
        if plan is not None and not effort.over:
            with effort.one():
                account.settle(wanted, plan, lookup)
                done = True
        if not done:
            account.pass_over(wanted)
    return account


@dataclass
class _Account:
    """What became of each name."""

    found: dict[Place, set[tuple[str, int]]] = field(default_factory=lambda: defaultdict(set))
    settled: set[tuple[str, str]] = field(default_factory=set)
    missing: dict[tuple[str, str], Dependency] = field(default_factory=dict)
    passed_over: int = 0

    def settle(self, wanted: Wanted, plan: Plan, lookup: Lookup) -> None:
        """Takes the steps to a name until one of them has candidates."""
        for step in plan.steps:
            places = lookup.find(step, wanted)
            if places:
                one = _choose(places, wanted, lookup.shelf)
                if one is None:
                    self._miss(wanted, DependencyState.AMBIGUOUS)
                else:
                    self._use(one, wanted)
                return
        if plan.ambiguous:
            self._miss(wanted, DependencyState.AMBIGUOUS)
        elif plan.outside:
            self._miss(wanted, DependencyState.OUTSIDE)
        elif plan.expected:
            self._miss(wanted, DependencyState.UNRESOLVED)

    def pass_over(self, wanted: Wanted) -> None:
        """Records a name that there was no effort left for, unless nobody would miss it."""
        language = wanted.language
        if wanted.name not in language.builtins and wanted.name not in COMMON_MEMBERS:
            self.passed_over += 1
            self._miss(wanted, DependencyState.UNRESOLVED)

    def _use(self, place: Place, wanted: Wanted) -> None:
        self.settled.add((wanted.name, wanted.path))
        for line in wanted.lines:
            if not place.contains(wanted.path, line):
                self.found[place].add((wanted.path, line))

    def _miss(self, wanted: Wanted, state: DependencyState) -> None:
        key = (wanted.name, wanted.path)
        line = wanted.lines[0]
        known = self.missing.get(key)
        if known is None or (_GRAVITY[state], line) < (_GRAVITY[known.state], known.start):
            self.missing[key] = Dependency(wanted.name, wanted.path, line, line, state)

    def result(self, shelf: Shelf, looked_at: int) -> Resolved:
        definitions = [
            _definition(place, users)
            for place, users in sorted(self.found.items(), key=lambda item: _order(item[0]))
        ]
        texts = {d.path: shelf.text(d.path) for d in definitions}
        missing = sorted(
            (dep for key, dep in self.missing.items() if key not in self.settled),
            key=lambda dep: (dep.path, dep.start, dep.name),
        )
        return Resolved(
            tuple(definitions),
            tuple(missing),
            {path: text for path, text in texts.items() if text is not None},
            looked_at,
            self.passed_over,
        )


_GRAVITY = {
    DependencyState.AMBIGUOUS: 0,
    DependencyState.UNRESOLVED: 1,
    DependencyState.OUTSIDE: 2,
}


def _order(place: Place) -> tuple[str, int, int, int, str]:
    scope = place.scope
    return (place.path, scope.start, scope.line, scope.end, scope.name)


def _definition(place: Place, users: set[tuple[str, int]]) -> Definition:
    scope = place.scope
    return Definition(
        name=scope.name,
        path=place.path,
        start=scope.start,
        line=scope.line,
        head=scope.head,
        end=scope.end,
        kind=scope.kind,
        users=tuple(sorted(users)),
    )


def _choose(places: Sequence[Place], wanted: Wanted, shelf: Shelf) -> Place | None:
    """The one definition that is meant; None if several could be."""
    real = [place for place in places if not is_test(place.path)] or list(places)
    if len(real) > 1 and wanted.parts:
        kin = squeeze(wanted.parts[-1])
        real = [place for place in real if squeeze(place.owner) == kin] or real
    if len({(place.path, place.owner) for place in real}) > 1:
        return None
    if len(real) > 1:
        real = list(_standing(real, wanted.language, shelf))
    return real[0] if len(real) == 1 else None


def _standing(places: Sequence[Place], language: Language, shelf: Shelf) -> Sequence[Place]:
    """Of one name at one place those that count, by what the language says of a second one."""
    own = shelf.get(places[0].path)
    if language is PYTHON and own is not None:
        left = last_of([place.scope for place in places], own)
        return [place for place in places if place.scope in left]
    types = [place for place in places if place.scope.kind is ScopeKind.TYPE]
    if types:
        # Others add to the one that comes first.
        return [min(types, key=lambda place: place.scope.start)]
    if language.again is Again.REBINDS:
        return [max(places, key=lambda place: place.scope.line)]
    if language.again is Again.CLASHES:
        return [place for place in places if own is None or own.has_body(place.scope)]
    longest = max(
        places, key=lambda place: (place.scope.end - place.scope.start, -place.scope.start)
    )
    return [longest]
