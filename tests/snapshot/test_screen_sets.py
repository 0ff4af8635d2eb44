"""A second set of invented credentials and look-alikes, in other notations than the first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pr_review.adapters.secrets import Kingfisher
from pr_review.domain.diff import FileChange, Side
from pr_review.domain.finding import Confidence, Finding, Severity
from pr_review.snapshot.policy import Screening
from pr_review.snapshot.ports import SecretMatch
from pr_review.snapshot.screen import redact, screen, screen_findings
from tests.snapshot.credentials import credentials, random_looking
from tests.snapshot.listing import NoSecrets, file, hunk, screen_text

SCANNER = Kingfisher()


def screened(*files: FileChange, blobs: dict[str, bytes] | None = None) -> list[str]:
    """The lines of some files as they would be sent."""
    found = screen(files, blobs or {}, SCANNER)
    return [
        redact(line.text, result.spans.get((line.side, line.number), ()))
        for given, result in zip(files, found, strict=True)
        for line in given.lines
    ]


def _between_code(sign: str, text: str) -> FileChange:
    rows = text.split("\n")
    return file("src/a.conf", hunk(f"+{sign * len(rows)}+", ["before = 1", *rows, "after = 2"]))


def test_the_set_is_large_enough() -> None:
    assert len(credentials("planted")) >= 40
    assert len(credentials("benign")) >= 45
    assert sum(bool(values) for _, values in credentials("planted").values()) >= 40


@pytest.mark.parametrize("sign", ["+", "-", " "])
@pytest.mark.parametrize("name", sorted(credentials("planted")))
def test_planted(name: str, sign: str) -> None:
    text, values = credentials("planted")[name]
    rows = screened(_between_code(sign, text))
    assert len(rows) == len(text.split("\n")) + 2
    assert (rows[0], rows[-1]) == ("before = 1", "after = 2")
    assert "[REDACTED:" in "\n".join(rows)
    assert not [value for value in values if value in "\n".join(rows)]


@pytest.mark.parametrize("sign", ["+", "-", " "])
@pytest.mark.parametrize("name", sorted(credentials("benign")))
def test_benign(name: str, sign: str) -> None:
    text, _ = credentials("benign")[name]
    assert screened(_between_code(sign, text)) == ["before = 1", *text.split("\n"), "after = 2"]


TOKEN = "ghp_" + random_looking("split", 36)
FIRST, SECOND = TOKEN[:20], TOKEN[20:]
JOINTS = {
    "plus": (f'const t = "{FIRST}" +', f'  "{SECOND}";'),
    "plus in front": (f"const t = '{FIRST}'", f"  + '{SECOND}';"),
    "side by side": (f't = ("{FIRST}"', f'     "{SECOND}")'),
    "formatted": (f't = ("{FIRST}"', f'     f"{SECOND}")'),
    "dot": (f"$t = '{FIRST}' .", f"  '{SECOND}';"),
    "two dots": (f't = "{FIRST}" ..', f'  "{SECOND}"'),
    "backslash in a string": (f't = "{FIRST}\\', f'{SECOND}"'),
    "backslash behind a string": (f't = "{FIRST}" \\', f'    "{SECOND}"'),
    "ampersand": (f't = "{FIRST}" & _'.replace(" _", ""), f'    "{SECOND}"'),
    "appended": (f't = "{FIRST}"', f't += "{SECOND}"'),
    "shell": (f"export T={FIRST}\\", SECOND),
    "folded": ("t: >-", f"  {FIRST}", f"  {SECOND}"),
    "carriage returns": (f't = "{FIRST}" +\r', f'  "{SECOND}"\r'),
}


def _gone(rows: Sequence[str]) -> bool:
    return FIRST not in "\n".join(rows) and SECOND not in "\n".join(rows)


@pytest.mark.parametrize("sign", ["+", "-", " "])
@pytest.mark.parametrize("name", sorted(JOINTS))
def test_a_value_over_two_lines(name: str, sign: str) -> None:
    rows = screened(_between_code(sign, "\n".join(JOINTS[name])))
    assert _gone(rows)
    assert len(rows) == len(JOINTS[name]) + 2
    assert "REDACTED" in rows[-2]
    assert "REDACTED" in rows[-3]


@pytest.mark.parametrize("joint", ['" + "', "' . '", '" "', '" f"'])
def test_a_value_over_two_literals_of_one_line(joint: str) -> None:
    quote = joint[0]
    clean = screen_text(f"t = {quote}{FIRST}{joint}{SECOND}{quote}; go()", SCANNER)
    assert clean.startswith(f"t = {quote}[REDACTED:github-pat]{quote}")
    assert clean.endswith(f"[REDACTED:github-pat]{quote}; go()")


@pytest.mark.parametrize("signs", ["- ", " -", "+ ", " +", "-+", "--", "++"])
@pytest.mark.parametrize("name", sorted(set(JOINTS) - {"folded"}))
def test_a_value_whose_halves_have_different_signs(name: str, signs: str) -> None:
    given = file("a.py", hunk(f" {signs} ", ["x = 1", *JOINTS[name], "y = 2"]))
    rows = screened(given)
    assert _gone(rows)
    assert (rows[0], rows[-1]) == ("x = 1", "y = 2")


def test_a_value_that_continues_beside_the_hunk() -> None:
    """Each hunk holds one half; the lines between them are not shown."""
    text = ["x = 1", f'T = ("{FIRST[:10]}"', f'  "{FIRST[10:]}"', '  ""', f'  "{SECOND}")', "y = 2"]
    blob = "\n".join(text).encode()
    hunks = (hunk("+", [text[1]], old=1, new=2), hunk("+", [text[4]], old=1, new=5))
    given = file("a.py", *hunks)
    rows = screened(given, blobs={given.new_oid: blob})
    assert "REDACTED" in rows[0]
    assert "REDACTED" in rows[1]
    assert SECOND not in rows[1]
    only = file("a.py", hunks[1])
    assert SECOND not in screened(only, blobs={only.new_oid: blob})[0]


def test_lines_of_an_unchanged_file_are_screened_with_the_file_behind_them() -> None:
    body = [random_looking(f"unchanged {n}", 64) for n in range(9)]
    key = ["-----BEGIN PRIVATE KEY-----", *body, "-----END PRIVATE KEY-----"]
    text = ["# settings", *("# more" for _ in range(20)), *key, f'T = ("{FIRST}"', f'  "{SECOND}")']
    shown = [hunk("  ", text[first - 1 : first + 1], old=first, new=first) for first in (2, 25, 33)]
    given = file("conf.py", *shown)
    hidden = "[REDACTED:private-key]"
    rows = screened(given, blobs={given.new_oid: "\n".join(text).encode()})
    assert rows[:4] == ["# more", "# more", hidden, hidden]
    assert rows[4:] == ['T = ("[REDACTED:github-pat]"', '  "[REDACTED:github-pat]")']


def test_a_removed_half_continues_beside_the_hunk() -> None:
    blob = f'x = 1\nT = ("{FIRST}"\n  "{SECOND}")\n'.encode()
    given = file("a.py", hunk("-", [f'  "{SECOND}")'], old=3, new=2))
    assert SECOND not in screened(given, blobs={given.old_oid: blob})[0]


def test_a_credential_that_goes_and_its_successor_stay_apart() -> None:
    given = file("a.py", hunk("-+", [f'T = "{TOKEN}"', 'T = os.environ["T"]']))
    assert screened(given) == ['T = "[REDACTED:github-pat]"', 'T = os.environ["T"]']
    (result,) = screen([given], {}, SCANNER)
    assert [(r.line, r.side, r.added) for r in result.redactions] == [(1, "LEFT", False)]


@pytest.mark.parametrize(
    "word", ["kingfisher:ignore", "gitleaks:allow", "nosec", "pragma: allowlist secret"]
)
def test_no_comment_hides_a_credential(word: str) -> None:
    assert TOKEN not in screen_text(f'T = "{TOKEN}"  # {word}', SCANNER)


def test_identifiers_stay_and_rules_have_names() -> None:
    ids = (
        "discord_channel = 123456789012345678\nAZURE_CLIENT_ID=0f8fad5b-d9cb-469f-a165-70867728950e"
    )
    assert screen_text(ids, SCANNER) == ids
    assert not [m.rule for m in SCANNER.scan([TOKEN]) if m.rule.isdigit()]


def test_what_tools_say_is_screened() -> None:
    found = Finding(
        "a.py", 1, 1, Side.RIGHT, Severity.HIGH, Confidence.HIGH, "bug",
        f"Hard-coded {TOKEN}", f"See:\n  {TOKEN}\nand so on",
    )  # fmt: skip
    (clean,) = screen_findings([found], SCANNER, Screening.REFUSE)
    assert clean.title == "Hard-coded [REDACTED:github-pat]"
    assert clean.body == "See:\n  [REDACTED:github-pat]\nand so on"
    assert clean.path == "a.py"
    assert screen_findings([found], SCANNER, Screening.OFF) == (found,)


class _Listening(NoSecrets):
    """Finds nothing, and remembers what it was asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def scan(self, texts: Sequence[str]) -> list[SecretMatch]:
        self.texts += texts
        return []


def test_a_scanner_never_sees_the_edges_of_keys() -> None:
    """It takes all that stands between two, in time that grows faster than the text."""
    scanner = _Listening()
    edge = "-----BEGIN EC PRIVATE KEY-----"
    text = f"{edge}\nx = 1\n{edge}"
    assert screen_text(text, scanner) == ("[REDACTED:private-key]\nx = 1\n[REDACTED:private-key]")
    assert scanner.texts == [text.replace(edge, " " * len(edge))]


def test_values_that_no_language_puts_together_are_scanned_once() -> None:
    scanner = _Listening()
    screen_text("a = 'x'\nb = 'y'\ncurl -H 'A' \\\n  -d 'B'\nc: |\n  some words\n", scanner)
    assert len(scanner.texts) == 1
    screen_text("a = 'x' +\n 'y'\nb = 1\nc = 'z' + 'w'", scanner)
    assert scanner.texts[2] == "a = 'xy'\nc = 'zw'\n"


@pytest.mark.parametrize(
    "line",
    ["'\" + \"' ", '"a" + ', '"" "" ', "x\\", "k: >- ", '"; a += ', "password = ", "://a:b@"],
)
def test_a_hostile_text_of_a_megabyte_ends(line: str) -> None:
    for text in (line * (1_000_000 // len(line)), f"{line}\n" * (500_000 // len(line))):
        assert screen_text(text, NoSecrets()) == text
