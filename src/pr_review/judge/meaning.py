"""Whether two findings mean the same problem: by their words, without a model.

Two findings on one line always share the names on that line, so these say nothing: what counts
is what is left of title and text, and which known kind of problem it speaks of.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pr_review.domain.finding import Finding
from pr_review.judge.lines import normal

# Share of the lesser finding's words that both must say. Settled on labelled pairs, on the side of
# two findings: a repetition is a nuisance, a wrong merge leaves but a title of a finding.
_ENOUGH = 0.5
_BY_ONE_SOURCE = 0.75
_IN_ONE_FILE = 0.6
_ONE_KIND = 0.3
_OTHER_KINDS = 0.4
_ONE_CATEGORY = 0.1
_LEAST_WEIGHT = 7.0
_TITLES_ALIKE = 0.6
_STEM = 6
_LONGEST = 2_000
_LEAST_IDEOGRAPH = 0x2E80
_TITLE_WEIGHT, _NAME_WEIGHT = 2.0, 2.0

_STOP = frozenset(
    "a an and any are as at be been but by can could do does for from had has have if in instead "
    "into is it its may might more must no not of on once one only or other otherwise should so "
    "some such than that the their them then there these they this those to under until up use "
    "used uses using via was when where which while who will with would without you your all also "
    "after before because both each every ever here how just like make makes now off out over own "
    "same still very what why yet about again get gets let lets code line lines file change "
    "changed changes function method call calls called caller callers value values variable "
    "der die das und ist nicht ein eine einer einem den dem des wird werden mit von zu im in auf "
    "für es sich kann wenn oder aus bei le la les un une des est et ou en dans pas ne que qui sur "
    "pour par avec se ce cette si el los las una es y no con para por se lo del al como".split()
)
#: Words by which people name one kind of problem. Words that also say *where* ("query") are left
#: out: they stand in findings of every kind.
_KINDS = {
    "injection": "injection inject injected injectable parameterized placeholder concatenated "
    "concatenation interpolated interpolation bind inyección injektion",
    "absent": "none null nil undefined nullable npe dereference optional nullpointerexception",
    "missing key": "keyerror",
    "zero": "zero zerodivisionerror division divide divides empty",
    "bounds": "off-by-one boundary bounds indexerror inclusive exclusive overflow",
    "race": "race concurrent concurrently concurrency atomic lock thread threads mutex toctou",
    "leak": "leak leaks leaked leaking close closed closes unclosed descriptor descriptors",
    "repeated": "n+1 loop loops looping iteration roundtrip roundtrips round-trip batch prefetch",
    "slow": "quadratic slow linear",
    "swallowed": "swallow swallows swallowed swallowing silently silent ignored ignores hides "
    "hidden suppress suppressed suppresses bare blanket",
    "secret": "secret credential credentials password hardcoded hard-coded hardcode",
    "timeout": "timeout timeouts hang hangs hung forever indefinitely",
    "unused": "unused unreachable unreferenced",
    "authorization": "authorization authorize authorized permission permissions ownership idor "
    "unauthorized tenant",
    "traversal": "traversal ../ escape directory",
    "naming": "naming rename misleading",
    "comment": "docstring documentation outdated stale",
    "type": "type types annotation untyped",
    "mutable": "mutable",
    "timezone": "timezone utc naive tzinfo daylight",
    "magic": "magic constant",
    "duplicate": "duplicate duplicated duplication duplicates copied",
    "logging": "log logged logs logging print",
    "random": "predictable cryptographic cryptographically secrets guessable",
    "shell": "shell",
    "rounding": "rounding round rounds float precision cents",
    "encoding": "encoding utf-8 utf8 unicode",
    "retry": "retry retries idempotent backoff",
    "test": "assert assertion test tests untested",
    "hash": "md5 sha1 sha-1 hash hashed hashing bcrypt argon2",
    "deserialization": "pickle unpickling unpickled deserialize deserialization",
    "swapped": "swapped swap",
    "html": "xss html markup cross-site",
    "forgery": "ssrf",
    "coroutine": "coroutine asyncio async await awaited",
    "memory": "memory unbounded gigabytes",
    "pinning": "pinned pin unpinned",
    "deadlock": "deadlock deadlocks",
}


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """The beginning that the forms of a word share, roughly, in languages that end them."""
    for ending in ("ing", "ies", "ed", "es", "s", "e"):
        if len(word) - len(ending) >= 3 and word.endswith(ending):
            word = word[: -len(ending)]
            break
    return word[:_STEM]


_KIND_OF = {stem(word): kind for kind, words in _KINDS.items() for word in words.split()}
_WORD = re.compile(r"[^\W_]+(?:[-+][^\W_]+)*|\.\./")
_LETTERS = re.compile(r"\w+")
# Looked for in one word at a time: a pattern for names as a whole takes minutes for long ones.
_MARKS_A_NAME = re.compile(r"[^\W\d]_\w|[^\W\d_A-Z][A-Z]|[^\W\d]\d")
_CODE = re.compile(r"`[^`\n]*`")
# Pages of one tool's rules share most of their address.
_ADDRESS = re.compile(r"https?://\S+")


def _terms(text: str) -> frozenset[str]:
    """Stems of the words that say something, the parts of names, and names as they are."""
    found: set[str] = set()
    text = _ADDRESS.sub(" ", text[:_LONGEST])
    for word in _WORD.findall(re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])", " ", text).casefold()):
        if any(ord(letter) >= _LEAST_IDEOGRAPH for letter in word):
            found.update(word[at : at + 2] for at in range(len(word) - 1))
        elif word not in _STOP and (len(word) > 1 or word.isdigit()):
            found.add(stem(word))
    names = filter(_MARKS_A_NAME.search, _LETTERS.findall(text))
    found.update(f"={name.casefold()}" for name in names)
    return frozenset(found)


def _kinds(text: str) -> frozenset[str]:
    return frozenset(_KIND_OF[term] for term in _terms(text) if term in _KIND_OF)


def _open(word: re.Match[str]) -> str:
    return "`" if _MARKS_A_NAME.search(word[0]) else word[0]


def voices(finding: Finding) -> set[str]:
    """Who said it, whatever the rule: `ruff` for `ruff:F401`."""
    return {source.partition(":")[0] for source in finding.sources}


@dataclass(frozen=True)
class Meaning:
    """What a finding says, taken apart once and compared often."""

    finding: Finding

    def same_here(self, other: Meaning) -> bool:
        """Whether two findings on the same lines are one problem. Symmetric, not transitive."""
        one, two = self.finding, other.finding
        if self.headline == other.headline:
            return True
        if one.suggestion and one.suggestion == two.suggestion:
            return True
        repeated = bool(voices(one) & voices(two))
        if repeated and one.deterministic:
            return False  # a tool that means the same says the same, by the same rule
        if self._of_others(other) and self._alike(other):
            return False  # "`a` may be None", "`b` may be None"
        return self._likeness(other) >= (_BY_ONE_SOURCE if repeated else _ENOUGH)

    def same_cause(self, other: Meaning) -> bool:
        """Whether two findings at different places are one problem: their titles alone must say
        so. Titles that name other things count only by one tool, or about lines that are alike.
        """
        if not self._alike(other) or self._apart(other):
            return False
        by_tool = self.finding.deterministic and other.finding.deterministic
        return by_tool or not self._of_others(other) or bool(self.place & other.place)

    def same_file(self, other: Meaning) -> bool:
        """Whether two findings are one problem of which one could not tell the lines."""
        certain = self.same_cause(other) or self._likeness(other) >= _IN_ONE_FILE
        return certain and not (self._of_others(other) and self._alike(other))

    def _alike(self, other: Meaning) -> bool:
        """Whether the titles say much the same, names aside."""
        if self.plain_title == other.plain_title:
            return True
        shared, every = self.topic & other.topic, self.topic | other.topic
        return len(shared) > 1 and len(shared) >= _TITLES_ALIKE * len(every)

    def _of_others(self, other: Meaning) -> bool:
        """Whether both titles name code, and none that the other names."""
        return bool(self.names and other.names) and not self.names & other.names

    def _apart(self, other: Meaning) -> bool:
        """Whether both are of known kinds, and neither speaks of the other's."""
        if not self.kinds or not other.kinds:
            return False
        return not (self.kinds & other.all_kinds or other.kinds & self.all_kinds)

    def _likeness(self, other: Meaning) -> float:
        place = self.place | other.place
        mine, theirs = self.weights, other.weights
        shared = sum(
            (mine[term] + theirs[term]) / 2 for term in mine.keys() & theirs.keys() - place
        )
        lesser = max(_LEAST_WEIGHT, min(self._weight(place), other._weight(place)))
        kind = 0.0
        if self.kinds & other.kinds:
            kind = _ONE_KIND
        elif self._apart(other):
            kind = -_OTHER_KINDS
        category = _ONE_CATEGORY * (self.finding.category == other.finding.category)
        return shared / lesser + kind + category

    def _weight(self, place: frozenset[str]) -> float:
        return self.weight - sum(self.weights[term] for term in place & self.weights.keys())

    @cached_property
    def headline(self) -> str:
        return normal(self.finding.title).casefold().rstrip(".!")

    @cached_property
    def plain_title(self) -> str:
        """The title with the names in it left open."""
        text = _LETTERS.sub(_open, _CODE.sub("`", normal(self.finding.title)))
        return " ".join(text.casefold().rstrip(".!").split())

    @cached_property
    def topic(self) -> frozenset[str]:
        """The words of the title without the names in it."""
        terms = _terms(_CODE.sub(" ", self.finding.title))
        return frozenset(term for term in terms if not term.startswith("="))

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of problem that the title speaks of, or if none the category, or the text."""
        finding = self.finding
        return _kinds(finding.title) or _kinds(finding.category) or _kinds(finding.body)

    @cached_property
    def all_kinds(self) -> frozenset[str]:
        return self.kinds | _kinds(self.finding.title) | _kinds(self.finding.body)

    @cached_property
    def names(self) -> frozenset[str]:
        """The code that the title names."""
        return frozenset(_CODE.findall(self.finding.title))

    @cached_property
    def place(self) -> frozenset[str]:
        """What merely names the lines."""
        return _terms(self.finding.quote)

    @cached_property
    def weight(self) -> float:
        return sum(self.weights.values())

    @cached_property
    def weights(self) -> dict[str, float]:
        """How much each word says: those of the title more, and names."""
        title = _terms(self.finding.title)
        return {
            term: (_TITLE_WEIGHT if term in title else 1.0)
            * (_NAME_WEIGHT if term.startswith("=") else 1.0)
            for term in title | _terms(self.finding.body) | _terms(self.finding.category)
        }
