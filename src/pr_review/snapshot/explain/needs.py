"""Whether the snapshot could have supplied a place that a reader of a change needs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from pr_review.domain.coverage import Mark
from pr_review.domain.diff import Side
from pr_review.domain.ledger import Dependency, DependencyState, Reason, Tier
from pr_review.snapshot.classify import path_tier
from pr_review.snapshot.draft import Helper
from pr_review.snapshot.explain.case import Case
from pr_review.snapshot.explain.lines import line_account, row_of
from pr_review.snapshot.explain.model import Answer, LineAccount, Needed, Part, Place, Remedy, Role
from pr_review.snapshot.explain.roles import context_roles, definition_role, shortened
from pr_review.snapshot.explain.target import Target
from pr_review.snapshot.outline import Outline, Scope

_MISSING = {
    DependencyState.AMBIGUOUS: "several definitions of it could be meant",
    DependencyState.UNRESOLVED: "no definition of it was found where imports and names lead",
    DependencyState.OUTSIDE: "an import says that it belongs to another repository",
}


def needed(case: Case, user: Target, place: Place) -> Needed:
    """Could the line at `place` have been supplied for the change at `user`, and by which stage?"""
    return _Search(case, user, place, line_account(case, place)).answer()


@dataclass(frozen=True)
class _Search:
    case: Case
    user: Target
    place: Place
    line: LineAccount

    def answer(self) -> Needed:
        if self.line.changed:
            return self._told("the diff", "it is a changed line itself")
        mine = self._roles(self._rows)
        if mine:
            return self._told(str(mine[0].part), self._words(mine[0]))
        if self.line.roles:
            role = self.line.roles[0]
            why = f"{self._words(role)}, though not for {self._asking}"
            return self._told(str(role.part), why)
        if self.line.remedy:
            stage, why = self._out_of_reach(self.line.remedy)
            could = Answer.COULD
            return Needed(self.place, self._asking, could, stage, why, self.line, self.line.remedy)
        return Needed(self.place, self._asking, Answer.NO, "", self._missing(), self.line)

    def _out_of_reach(self, remedy: Remedy) -> tuple[str, str]:
        """The stage that could have the line, and the setting that keeps it from it."""
        if "max-dependencies" in dict(remedy.changes):
            return str(Part.DEFINITION), "max-dependencies is 0, so no name is looked up"
        if "since" in dict(remedy.changes):
            return "reviewed", "an earlier review read the change around it"
        return "context", f"but only as a line around a change: {self._missing()}"

    def _told(self, stage: str, why: str) -> Needed:
        """The answer where some stage has the line."""
        read = Reason.REVIEWED in self.line.because
        seen = self.line.mark is not Mark.OMITTED and not read
        could = Answer.COULD if self.line.remedy else Answer.NO
        answer = Answer.YES if seen else could
        remedy = self.line.remedy
        if not seen:
            why = f"{why}{self._given_up()}"
        return Needed(self.place, self._asking, answer, stage, why, self.line, remedy)

    def _given_up(self) -> str:
        if Reason.DEPENDENCY_CAP in self.line.because:
            most = self.case.limits.policy.dependencies
            others = "1 other" if most == 1 else f"{most} others"
            return f", but {others} came first (max-dependencies)"
        words = " and ".join(reason.words for reason in self.line.because)
        return f", but {words}" if words else f", but {self.line.stuck}" if self.line.stuck else ""

    @property
    def _asking(self) -> str:
        return str(self.user.place or self.user.path)

    @cached_property
    def _lines(self) -> Collection[int]:
        """New-side numbers of the changed lines that are asked about."""
        file = self.case.file(self.user.path)
        if file is None:
            return ()
        place = self.user.place
        if place is None:
            return frozenset(file.added_lines)
        asked = place.side is Side.RIGHT and place.number in file.added_lines
        return (place.number,) if asked else ()

    @cached_property
    def _rows(self) -> Collection[int]:
        """Rows of the changed lines that are asked about."""
        sheet = self.case.now.sheets.get(self.user.path)
        if sheet is None:
            return ()
        if self.user.place is not None:
            row = row_of(self.case.now, self.user.place)
            return () if row is None else (row,)
        return frozenset(i for i, row in enumerate(sheet.rows) if row.line.changed)

    def _roles(self, rows: Collection[int]) -> list[Role]:
        """What the place is good for to the lines that are asked about."""
        sheet = self.case.now.sheets.get(self.place.path)
        row = row_of(self.case.now, self.place)
        if sheet is None or row is None:
            return []
        found = [
            definition_role(self.case, helper)
            for helper in self._helpers()
            if row in helper.rows and self._uses(helper)
        ]
        if self.place.path == self.user.path:
            found += context_roles(self.case, sheet, row, rows)
        return sorted(found, key=lambda role: list(Part).index(role.part))

    def _helpers(self) -> Iterator[Helper]:
        """The definitions that changed lines use and that hold the place."""
        for helper in self.case.now.prepared.helpers:
            found = helper.definition
            inside = found.start <= self.place.number <= found.end
            if found.path == self.place.path and inside:
                yield helper

    def _uses(self, helper: Helper) -> bool:
        return any(path == self.user.path and row in self._rows for path, row in helper.users)

    def _words(self, role: Role) -> str:
        """A role in words: `definition of f, used by src/a.py:12`."""
        if role.part is Part.DEFINITION:
            users = ", ".join(str(user) for user in role.users[:3])
            return f"definition of `{role.names[0]}`, used by {users}"
        names = " and ".join(f"`{name}`" for name in role.names)
        of = f" of {names}" if names else ""
        around = f", for the change at {role.of}" if role.of else ""
        return f"{role.part}{of}{around}"

    def _missing(self) -> str:
        """Why no stage has the place."""
        beyond = next(self._helpers(), None)
        if beyond is not None:
            name = shortened(beyond.definition.name)
            return (
                f"the definition of `{name}` is found, but it is long: its signature and first "
                "lines alone are shown"
            )
        return self._not_looked_up() or self._named() or self._no_use()

    def _not_looked_up(self) -> str:
        """Why the names on the lines that are asked about were not looked up at all."""
        file = self.case.file(self.user.path)
        place = self.user.place
        if not self._lines:
            removed = place is not None and file is not None and place.number in file.removed_lines
            if removed and place is not None and place.side is Side.LEFT:
                return "names on removed lines are not looked up"
            return "what is asked about is no changed line: context is chosen for those alone"
        if not self.case.limits.policy.dependencies:
            return "max-dependencies is 0, so no name is looked up"
        tier = path_tier(self.user.path, self.case.limits.policy.rules)
        if tier is not Tier.SOURCE:
            return f"names in files of tier {tier.label} are not looked up"
        outline = self._outline
        if outline is None or outline.source != "syntax":
            how = outline.source if outline else "not at all"
            return f"the file was read by {how}, which tells no names that lines use"
        return ""

    @cached_property
    def _outline(self) -> Outline | None:
        structure = self.case.structure(self.user.path)
        return structure.outline if structure else None

    def _named(self) -> str:
        """What became of a name that the lines use and that is defined at the place."""
        assert self._outline is not None
        used = {use.name: use for use in self._outline.uses if use.line in self._lines}
        for scope in self._scopes():
            if scope.name in used:
                return self._elsewhere(scope.name, used[scope.name].line)
        return ""

    def _scopes(self) -> list[Scope]:
        """The definitions that hold the place, innermost first."""
        structure = self.case.structure(self.place.path)
        outline: Outline | str = structure.outline if structure else "none"
        if structure is None and self.case.tools.reader.knows(self.place.path):
            text = "\n".join(self.case.text(self.place.path) or [])
            data = text.encode("utf-8", "surrogateescape")
            outline = self.case.tools.reader.outline(self.place.path, data)
        scopes = outline.scopes if isinstance(outline, Outline) else ()
        number = self.place.number
        return [scope for scope in reversed(scopes) if scope.start <= number <= scope.end]

    def _elsewhere(self, name: str, line: int) -> str:
        """Where a name led that is defined at the place, too."""
        said = f"`{shortened(name)}` is used at line {line}, but "
        for helper in self.case.now.prepared.helpers:
            users = helper.users if helper.definition.name == name else ()
            sheet = self.case.now.sheets[self.user.path]
            if any(p == self.user.path and sheet.rows[r].line.new == line for p, r in users):
                return f"{said}was taken for {_where(self.case, helper.definition)}"
        for dependency in self.case.now.prepared.missing:
            if (dependency.name, dependency.path) == (name, self.user.path):
                return said + _MISSING[dependency.state]
        return f"{said}is not looked for there{self._unread()}"

    def _unread(self) -> str:
        """Whether the file of the place was among those that were read."""
        oid = self.case.objects.head_files().get(self.place.path, "")
        known = oid in self.case.looked_at
        return "" if known else ": its file was not among those that were read"

    def _no_use(self) -> str:
        return (
            "no changed line uses a name defined there, and it is no enclosing definition of a "
            "changed line"
        )


def _where(case: Case, definition: Dependency) -> str:
    sheet = case.now.sheets[definition.path]
    return f"{sheet.name}:{definition.start}-{definition.end}"
