"""Words of a provider hold no secret, stand on one line, and are bounded."""

from __future__ import annotations

import json
from dataclasses import replace

from pr_review.adapters.llm.redaction import MAX_CHARACTERS, clean, secrets_of
from pr_review.adapters.llm.wire import Job

JOB = Job(
    number=1,
    seconds=1.0,
    deadline=1.0,
    model="openai/x",
    api_key='key/with"odd+signs',
    api_base="https://user:pass-word@host/v1?code=query-secret",
    headers={"Authorization": "Token header-secret"},
    environment={"AWS_SECRET_ACCESS_KEY": "cloud-secret", "AWS_REGION": "eu-west-1"},
    files={},
    temperature=None,
    max_output_tokens=1,
    system="",
    prefix="",
    task="",
    schema={},
    retries=2,
)


def test_every_secret_of_a_job_is_replaced_however_it_is_written() -> None:
    said = (
        'key/with"odd+signs key/with\\"odd+signs key/with%22odd%2Bsigns header-secret '
        "cloud-secret pass-word query-secret eu-west-1"
    )
    assert clean(said, secrets_of(JOB)) == " ".join(["[REDACTED]"] * 7) + " eu-west-1"


def test_a_secret_is_replaced_before_the_text_is_cut() -> None:
    text = clean("x" * (MAX_CHARACTERS - 5) + "cloud-secret", secrets_of(JOB))
    assert "cloud" not in text
    assert len(text) == MAX_CHARACTERS


def test_a_job_without_secrets_replaces_nothing() -> None:
    bare = replace(JOB, api_key=None, api_base=None, headers={}, environment={})
    assert clean("an ordinary sentence", secrets_of(bare)) == "an ordinary sentence"


def test_an_unknown_bearer_is_replaced_too() -> None:
    assert clean("sent Bearer abcdefgh1234", ()) == "sent Bearer [REDACTED]"


def test_one_line_without_control_characters_classes_or_traceback() -> None:
    classes = "litellm.APIError: APIError: OpenAIException - "
    traceback = "\nTraceback (most recent call last):\n  File"
    assert clean(f"{classes}a\r\nb\x1b[31m\u202e{traceback}", ()) == "a b\\u{1b}[31m\\u{202e}"
    assert clean("refused. Handle with `litellm.InternalServerError`.", ()) == "refused."


def test_a_job_does_not_show_its_secrets() -> None:
    shown = repr(JOB)
    assert not [
        s for s in ("odd+signs", "pass-word", "header-secret", "cloud-secret") if s in shown
    ]
    assert Job.read(JOB.line()) == JOB


def test_a_token_of_an_exchange_that_nobody_else_saw_is_replaced() -> None:
    said = "bad eyJhbGciOiJS.eyJzdWIi.c2ln, not ya29.d.planted-1 of eyJ.x"
    assert clean(said, ()) == "bad [REDACTED], not [REDACTED] of eyJ.x"


def test_where_a_credential_file_stands_is_told_but_not_what_was_put_there_by_mistake() -> None:
    named = {"AZURE_FEDERATED_TOKEN_FILE": "/a/token", "AZURE_CLIENT_SECRET": "/a/secret"}
    said = "no file /a/token and /a/secret"
    assert clean(said, secrets_of(replace(JOB, environment=named))) == (
        "no file /a/token and [REDACTED]"
    )
    inline = json.dumps({"private_key": "MIIplanted"})
    job = replace(JOB, environment={"GOOGLE_APPLICATION_CREDENTIALS": inline})
    assert clean(f"no file {inline}", secrets_of(job)) == "no file [REDACTED]"
    assert clean("the key MIIplanted", secrets_of(job)) == "the key [REDACTED]"


def test_addresses_and_kinds_in_a_credential_file_are_no_secrets() -> None:
    account = {
        "subject_token_type": "urn:jwt",
        "token_url": "https://sts/v1/token",
        "credential_source": {
            "headers": {"Authorization": "Bearer request-planted"},
            "format": {"subject_token_field_name": "value"},
        },
    }
    job = replace(JOB, files={"A": json.dumps(account)})
    said = "a value of urn:jwt at https://sts/v1/token by request-planted"
    assert clean(said, secrets_of(job)) == said.replace("request-planted", "[REDACTED]")


def test_what_stands_in_credential_files_is_a_secret() -> None:
    account = json.dumps(
        {"type": "service_account", "private_key": "-----BEGIN\nMIIplanted\n-----"}
    )
    amazon = "[default]\naws_secret_access_key = aws-planted\nregion = eu-west-1\n"
    job = replace(JOB, files={"A": account, "B": amazon, "C": "token-planted\n"})
    said = "key -----BEGIN\nMIIplanted\n-----, aws-planted in eu-west-1, token-planted"
    assert clean(said, secrets_of(job)) == "key [REDACTED], [REDACTED] in eu-west-1, [REDACTED]"
