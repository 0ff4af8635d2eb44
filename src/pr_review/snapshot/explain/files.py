"""What became of one changed file, and by which rules."""

from __future__ import annotations

from dataclasses import replace

from pr_review.domain.diff import SourceKind, Status
from pr_review.domain.ledger import Reason, State, Tier
from pr_review.domain.path_rule import ruled_tier
from pr_review.domain.text import visible_line
from pr_review.snapshot.classify import Kind, path_tier
from pr_review.snapshot.draft import Draft
from pr_review.snapshot.explain.barred import barred_remedy, excluded_by
from pr_review.snapshot.explain.case import Case, Outcome
from pr_review.snapshot.explain.model import FileAccount, Remedy
from pr_review.snapshot.explain.order import order_of_loss, turns, whole_place
from pr_review.snapshot.explain.remedy import Goal, caps, in_passes, smallest, without_since
from pr_review.snapshot.explain.target import name_of
from pr_review.snapshot.kinds import KINDS
from pr_review.snapshot.rules import Rules

_KINDS = {
    Kind.CODE: "no rule takes its path for anything but code",
    Kind.CONFIG: "its name is that of configuration, which goes before code",
    Kind.PROSE: "its name is that of prose, which goes before configuration and code",
}


def file_account(case: Case, path: str) -> FileAccount:
    """The account of a changed file."""
    draft = case.now.drafts[path]
    entry = case.now.snapshot.ledger.by_path[path]
    account = FileAccount(
        name_of(path, case),
        entry,
        tier_why(case, draft),
        order_of_loss(case, draft),
        _structure(case, draft),
        case.limits.policy.max_file_bytes,
        draft.own_size,
        turns(case, draft),
        whole_place(case, draft),
    )
    if entry.since and entry.in_sight:
        return replace(account, remedy=without_since(case, _whole(path), path))
    if entry.in_sight:
        return account
    remedy, stuck = _remedy(case, draft)
    return replace(account, remedy=remedy, stuck="" if remedy else stuck)


def _whole(path: str) -> Goal:
    """Every line of the file is printed."""

    def goal(outcome: Outcome) -> bool:
        entry = outcome.entry(path)
        return entry is not None and entry.state is State.SHOWN

    return goal


def _remedy(case: Case, draft: Draft) -> tuple[Remedy | None, str]:
    """What shows all of the file, as far as its lines can be shown."""

    def goal(outcome: Outcome) -> bool:
        entry, made = outcome.entry(draft.path), outcome.drafts[draft.path]
        changed = (i for i, row in enumerate(made.rows) if row.line.changed)
        long_alone = entry is not None and entry.reason is Reason.LONG_LINE
        return bool(entry and entry.in_sight) or (long_alone and outcome.tells(made, changed))

    if draft.barred:
        return barred_remedy(case, draft, goal)
    if goal(case.now):
        return None, "no setting shows the rest of lines over 2,000 bytes"
    known = caps(case.now, draft.path)
    remedy = smallest(case, goal, [known["token_budget"], known["max_file_bytes"]])
    return in_passes(case, goal, remedy), "no setting was found that shows all of it"


def tier_why(case: Case, draft: Draft) -> str:
    """Which rule gave a file its tier."""
    path, kind = draft.path, draft.kind
    named = "; it may hold code, so it stays in the account of source" if kind.marker else ""
    if ruled_tier(case.limits.policy.rules, path) is not None:
        return f"the last rule of paths that gives it one{named}"
    if path in case.now.prepared.change.generated:
        return f"the .gitattributes of the merge base mark it as generated or vendored{named}"
    rule = KINDS.find(path)
    if rule is not None and (rule.tier < Tier.TEST or not kind.marker):
        single = [p for p in rule.patterns.split() if Rules([replace(rule, patterns=p)]).find(path)]
        return f"{rule.what}, by its path ({single[0]}){named}"
    if kind.marker:
        return f"its text says {kind.marker}, which lowers its tier"
    return _KINDS[kind.kind]


def _structure(case: Case, draft: Draft) -> str:
    """What the file's definitions were read by; where they were not, why."""
    if draft.barred is Reason.EXCLUDED:
        return f"not read: {excluded_by(case.limits.policy, draft.path)}"
    if draft.barred:
        return f"not read: {draft.barred.words}"
    if draft.says:
        return "not read: one sentence stands for the file"
    if draft.structure:
        found = case.structure(draft.path)
        count = len(found.outline.scopes) if found else 0
        return f"{visible_line(draft.structure)}, {count:,} definitions"
    if path_tier(draft.path, case.limits.policy.rules) < Tier.TEST:
        return f"not read: files of tier {draft.kind.tier.label} get no wider context"
    if draft.file.status is Status.DELETED:
        return "not read: it is not in the head"
    if draft.path.lower().endswith(case.limits.policy.skip_suffixes):
        return "not read: its suffix is among context-skip-suffixes"
    if case.now.prepared.change.source is SourceKind.PATCH:
        return "not read: a patch holds its own lines alone"
    return "not read: its text at the head could not be had"
