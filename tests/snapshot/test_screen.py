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
from pr_review.domain.pull_request import Brief
from pr_review.domain.snapshot import Snapshot
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import Screening, SnapshotPolicy
from pr_review.snapshot.prepare import prepare
from pr_review.snapshot.screen import screen_brief, screen_text
from tests.shared import SHARED, shared
from tests.snapshot.listing import NEW, OLD, change, file, hunk, lines


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
    prepared = prepare(given, lambda oids: blobs or {}, policy, SCANNER)
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


def test_a_free_text_names_its_rules() -> None:
    text, rules = screen_text(f"a\n{PLANTED['assigned password']}\nb", SCANNER)
    assert text == 'a\n"password": "[REDACTED:secret-assignment]",\nb'
    assert rules == ("secret-assignment",)
    assert screen_text("nothing here", SCANNER) == ("nothing here", ())
