"""Settings: which layer wins, what is refused, and that no value shows."""

from __future__ import annotations

import json
from pathlib import Path

import certifi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.agents import prompt
from pr_review.domain.finding import Severity
from pr_review.domain.ledger import Tier
from pr_review.domain.path_rule import PathRule
from pr_review.domain.pull_request import Brief, Guideline
from pr_review.errors import ConfigurationError, UnreadableFile
from pr_review.settings import NAMES, Layer, Settings, file, inputs, load
from tests.shared import shared


def test_flags_win_over_inputs_over_the_file_over_defaults() -> None:
    given_inputs, _ = inputs({"INPUT_MAX-COMMENTS": "4", "INPUT_LANGUAGE": "German"})
    given_file = file("max-comments: 5\nlanguage: French\ndrafts: true\n")
    settings = load(Layer("flag --", {"max-comments": "3"}), given_inputs, given_file)
    assert (settings.max_comments, settings.language, settings.drafts) == (3, "German", True)
    assert settings.max_file_bytes == 65_536


def test_what_is_small_by_the_file_is_small_to_the_judge() -> None:
    policy = load(file("min-severity: high\nmax-comments: 3\n")).judge_policy()
    assert (policy.min_severity, policy.max_comments) == (Severity.HIGH, 3)


def test_an_unset_input_is_empty_and_does_not_hide_the_file() -> None:
    given_inputs, warnings = inputs({"INPUT_DRAFTS": "", "INPUT_MODEL": " \n"})
    assert given_inputs.values == {}
    assert warnings == ()
    assert load(given_inputs, file("drafts: true")).drafts


def test_the_environment_and_env_files_are_not_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("checkout")
    (folder / ".env").write_text("MODEL=planted\nLANGUAGE=planted\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MODEL", "planted")
    monkeypatch.setenv("model", "planted")
    settings = load()
    assert (settings.model, settings.language) == ("", "English")


def test_secrets_are_stripped_and_never_shown() -> None:
    given_inputs, _ = inputs(
        {
            "INPUT_GITHUB-TOKEN": "ghs_planted\n",
            "INPUT_API-KEY": "  sk-planted \r\n",
            "INPUT_EXTRA-HEADERS": "X-Auth: hdr-planted\nX-Team: shop",
        }
    )
    settings = load(given_inputs)
    assert (settings.token, settings.key) == ("ghs_planted", "sk-planted")
    assert settings.extra_headers == {"X-Auth": "hdr-planted", "X-Team": "shop"}
    assert "planted" not in repr(settings)
    assert "planted" not in repr(settings.model_settings())


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("a/*.py", ("a/*.py",)),
        ("a, b\nc\n\n", ("a", "b", "c")),
        ("src/{a,b}/*.py, docs/**", ("src/{a,b}/*.py", "docs/**")),
        ("", ()),
        ("a\r\nb\r\n", ("a", "b")),
        ("\ta ,\u00a0b\t\n", ("a", "b")),
        ("\"a/**\", 'b'", ("a/**", "b")),
        (",,\n,", ()),
    ],
)
def test_lists_are_one_entry_a_line_or_commas(value: str, read: tuple[str, ...]) -> None:
    assert load(Layer("input", {"exclude": value})).exclude == read


@pytest.mark.parametrize(
    "value",
    [
        "high",
        " high\n",
        "\thigh\r\n",
        "\ufeffhigh",
        "\u200bhigh\u00a0",
        '"high"',
        "'high'\n",
        '" high "',
    ],
)
def test_an_input_is_read_without_what_people_paste_around_it(value: str) -> None:
    given_inputs, _ = inputs({"INPUT_FAIL-ON": value})
    assert load(given_inputs).fail_on == "high"


@pytest.mark.parametrize("value", ["", " ", "\n", "\r\n\t", "\ufeff", '""', "''", '" "'])
def test_an_input_of_nothing_is_unset(value: str) -> None:
    given_inputs, _ = inputs({"INPUT_FAIL-ON": value, "INPUT_API-KEY": value})
    assert given_inputs.values == {}


@pytest.mark.parametrize("value", ['"', "it's", '"a" or "b"', '"a', "\"a'"])
def test_other_quotes_belong_to_the_value(value: str) -> None:
    given_inputs, _ = inputs({"INPUT_LANGUAGE": value})
    assert load(given_inputs).language == value


@pytest.mark.parametrize("row", range(4))
def test_b21_secret_with_newline(row: int) -> None:
    environ = json.loads(shared("cases/b21-secret-with-newline/env.json").read_text())[row]
    given_inputs, _ = inputs(environ)
    settings = load(given_inputs)
    assert "HOLDER" in settings.token + settings.key
    assert "HOLDER" not in repr(settings)
    assert (settings.token + settings.key).strip('"\r\n ') == settings.token + settings.key


@pytest.mark.parametrize("name", ["api-key", "github-token"])
@pytest.mark.parametrize("inside", ["\n", "\r\n", "\x00", "\t", "\x7f"])
def test_b21_a_secret_with_a_control_character_inside_is_refused_by_name(
    name: str, inside: str
) -> None:
    given_inputs, _ = inputs({f"INPUT_{name.upper()}": f"sk-planted{inside}planted"})
    with pytest.raises(ConfigurationError) as raised:
        load(given_inputs)
    assert f"input {name}: holds a line end" in str(raised.value)
    assert "planted" not in str(raised.value)


@pytest.mark.parametrize("value", ["7", "#7", "https://github.com/a/b/pull/7"])
def test_a_pull_request_can_be_named_in_several_ways(value: str) -> None:
    policy = load(Layer("input", {"pull-request": value})).event_policy("a/b")
    assert policy.pull_request == 7


def test_off_is_a_word_in_the_file_too() -> None:
    """YAML takes it for false."""
    assert load(file("screening: off\n")).screening.value == "off"
    assert not load(file("drafts: off\n")).drafts


def test_a_key_of_the_file_knows_its_line() -> None:
    given_file = file("# ours\ndrafts: true\n\nagents:\n  - bugs\nlanguage: French\n")
    assert given_file.lines == {"drafts": 2, "agents": 4, "language": 6}


def test_a_pull_request_of_another_repository_is_refused() -> None:
    settings = load(Layer("input", {"pull-request": "https://github.com/a/b/pull/7"}))
    with pytest.raises(ConfigurationError, match="outside c/d"):
        settings.event_policy("c/d")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"fail-on": "planted"}, "input fail-on: should be 'never', 'low'"),
        ({"max-comments": "planted"}, "input max-comments: should be a valid integer"),
        ({"max-comments": "-1"}, "greater than or equal to 0"),
        ({"diff-token-budget": "10"}, "greater than or equal to 1000"),
        ({"max-comments": "planted"}, "max-comments: should be a valid integer"),
        ({"run-deadline": "0"}, "greater than 0"),
        ({"drafts": "planted"}, "input drafts: should be a valid boolean"),
        ({"screening": "planted"}, "input screening: should be 'redact'"),
        ({"extra-headers": "planted"}, "each line must be `Name: value`"),
        ({"pull-request": "planted"}, "names no pull request"),
        ({"api-base": "http://[::1"}, "should be an address"),
        ({"api-base": "localhost:99"}, "should be an address"),
        ({"ca-bundle": "/etc/planted.pem"}, "input ca-bundle: should be the text of PEM"),
        ({"max-coments": "3"}, "the nearest is max-comments"),
        ({"agents": "planted one"}, "input agents: there is no agent"),
        ({"checks": "lint"}, "input checks: there is no check 'lint'"),
        ({"author-associations": "friend"}, "input author-associations: there is no association"),
        ({"fallback-models": "none"}, "input fallback-models: none is no model"),
        ({"paths": "- paths: [planted\n"}, "input paths: is not YAML: line 2"),
        ({"paths": "planted"}, "input paths: should be a list of rules such as"),
        ({"paths": "- {1: a}"}, "input paths: should be a list of rules such as"),
        ({"paths": "- paths: a"}, "input paths[0]: says nothing of its paths"),
        ({"paths": "- tier: test"}, "input paths[0].paths: is missing"),
        ({"paths": "- {paths: a, tier: planted}"}, "paths[0].tier: should be 'generated'"),
        ({"paths": "- {paths: a, tier: test}\n" * 51}, "holds 51 rules, and 50 are taken"),
        (
            {"paths": "- {paths: [], tier: test}"},
            "paths[0].paths: should have at least 1 item, not 0",
        ),
        ({"paths": "- {path: a, tier: test}"}, "path is not known; the nearest is paths"),
        (
            {"paths": "- {paths: a, tier: test}\n- {paths: b, instuctions: x}"},
            "input paths[1]: instuctions is not known; the nearest is instructions",
        ),
        ({"paths": "- {paths: a, agents: bugz}"}, "input paths[0].agents: there is no agent 'bu"),
        ({"paths": f"- {{paths: {'a' * 201}, tier: test}}"}, "a glob of over 200 characters"),
        ({"paths": f"- {{paths: a, instructions: {'a' * 2_001}}}"}, "at most 2000 characters"),
        ({"agents": ""}, "agent"),
    ],
)
def test_a_wrong_value_is_one_line_without_the_value(values: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load(Layer("input", values))
    message = str(raised.value)
    assert words in message
    assert "\n" not in message
    assert "planted" not in message or values.keys() == {"agents"}  # a name is no secret


RULES = """
paths:
  - paths: docs/**, "*.md"
    instructions: |
      Mind the words.
    agents:
    tier: test
  - paths:
      - src/{a,b}/*.py
      - 2024
    agents: security, bugs, own
"""


def test_rules_for_paths_are_written_in_the_file_or_as_the_text_of_an_input() -> None:
    from_file = load(Layer("input", {"agents": "bugs, own"}), file(RULES))
    text = RULES.removeprefix("\npaths:\n")
    from_input = load(Layer("input", {"agents": "bugs, own", "paths": text}), file("paths: []"))
    assert from_file.rules == from_input.rules == (
        PathRule(("docs/**", "*.md"), "Mind the words.", (), Tier.TEST),
        PathRule(("src/{a,b}/*.py", "2024"), agents=("bugs", "own")),
    )  # fmt: skip
    assert from_file.snapshot_policy().rules == from_file.judge_policy().rules == from_file.rules
    assert from_file.agent_policy().guided
    assert not load().agent_policy().guided
    assert from_file.digest() != load(Layer("input", {"agents": "bugs, own"})).digest()


def test_a_rule_whose_agents_are_not_asked_leaves_its_files_to_all() -> None:
    [rule] = load(
        Layer("flag --", {"agents": "bugs"}), file("paths: [{paths: a, agents: security}]")
    ).rules
    assert rule.agents == ()


OWN = "---\nname: own\ntitle: Own\ncategories: one\n---\nLook.\n"


def test_what_stands_on_the_base_branch_is_part_of_the_settings_and_of_their_digest() -> None:
    files = {
        ".github/pr-review/agents/own.md": OWN,
        "AGENTS.md": "Use tabs.",
        "CONTRIBUTING.md": "",
    }
    chosen = Layer("input", {"model": "a/b", "agents": "bugs, own", "guidelines": "auto"})
    settings = load(chosen).complete(files.get)
    policy = settings.agent_policy()
    assert [agent.name for agent in policy.agents] == ["bugs", "own"]
    assert policy.guidelines == (Guideline("AGENTS.md", "Use tabs.", "AGENTS.md"),)
    assert policy.guided
    digests = {settings.digest(), load(chosen).complete(files.get).digest()}
    for path, text in (
        ("AGENTS.md", "Use blanks."),
        (".github/pr-review/agents/own.md", OWN + "x"),
    ):
        digests.add(load(chosen).complete({**files, path: text}.get).digest())
    assert len(digests) == 3


def test_guidelines_that_cannot_be_read_end_no_run_and_are_named() -> None:
    def read(path: str) -> str | None:
        if path == "AGENTS.md":
            raise UnreadableFile("AGENTS.md of branch main is not UTF-8 text")
        return "Test what fails." if path == "CONTRIBUTING.md" else None

    chosen = load(Layer("input", {"model": "a/b", "guidelines": "auto"})).complete(read)
    made = prompt.brief(Brief(guidelines=chosen.agent_policy().guidelines), count=len)
    assert made.guidelines == ("CONTRIBUTING.md",)
    assert made.warnings == [
        "guidelines: AGENTS.md of branch main is not UTF-8 text, so no agent was given it"
    ]
    with pytest.raises(UnreadableFile):
        load(Layer("input", {"agents": "own"})).complete(lambda _path: read("AGENTS.md"))


def test_nothing_of_the_base_branch_is_read_that_no_setting_asks_for() -> None:
    def read(path: str) -> str:
        raise AssertionError(path)

    for values in ({"model": "a/b"}, {"model": "none", "guidelines": "auto"}):
        assert load(Layer("input", values)).complete(read).agent_policy().guidelines == ()


def test_an_agent_that_is_neither_shipped_nor_on_the_base_branch_is_refused() -> None:
    with pytest.raises(
        ConfigurationError, match="no agent 'bugz', the nearest is 'bugs'"
    ) as caught:
        load(Layer("input", {"agents": "bugz"})).complete(lambda _path: None)
    assert "add .github/pr-review/agents/<name>.md to the base branch" in str(caught.value)
    with pytest.raises(ConfigurationError, match=r"no agent 'xyz' \(use bugs"):  # none is near
        load(Layer("input", {"agents": "xyz"})).complete(lambda _path: None)


def test_the_file_may_not_say_whom_to_trust() -> None:
    with pytest.raises(ConfigurationError, match="ca-bundle may not be set in the file"):
        file("ca-bundle: x")


def test_the_digest_names_settings_and_no_secret() -> None:
    authority = Path(certifi.where()).read_text("utf-8")
    one = load(
        Layer(
            "input",
            {"model": "a/b", "api-key": "one", "github-token": "x", "ca-bundle": authority},
        )
    )
    other = load(Layer("input", {"model": "a/b", "api-key": "two", "github-token": "y"}))
    changed = load(Layer("input", {"model": "a/c"}))
    assert one.digest() == other.digest()
    assert one.digest() != changed.digest()
    assert int(one.digest(), 16) >= 0


def test_policies_get_what_was_set() -> None:
    settings = load(
        Layer(
            "input",
            {"diff-token-budget": "9000", "exclude": "x", "fail-on": "medium", "api-key": "k"},
        )
    )
    assert settings.snapshot_policy().token_budget == 9_000
    assert settings.snapshot_policy().exclude == ("x",)
    assert settings.gates().fail_on is Severity.MEDIUM
    assert settings.review_policy().marker_key is not None
    assert load().review_policy().marker_key is None


def test_every_setting_has_one_outward_name_and_a_description() -> None:
    assert len(set(NAMES)) == len(NAMES) == len(Settings.model_fields)
    assert all("_" not in name and name == name.lower() for name in NAMES)
    assert all((field.description or "").strip() for field in Settings.model_fields.values())


def problem_with(given: Layer | str) -> str:
    """The message that a layer, or a file's text, ends in; empty if it is good."""
    try:
        load(file(given) if isinstance(given, str) else given)
    except ConfigurationError as error:
        return error.message
    return ""


@given(st.dictionaries(st.text(max_size=30), st.text(max_size=60), max_size=5))
def test_any_inputs_end_in_settings_or_one_line(values: dict[str, str]) -> None:
    given_inputs, _ = inputs({f"INPUT_{key}": value for key, value in values.items()})
    assert "\n" not in problem_with(given_inputs)


@pytest.mark.parametrize(
    "text", ["drafts: !!bool maybe", 'max-comments: !!int ""', "language: !!timestamp foo"]
)
def test_odd_yaml_is_one_line_too(text: str) -> None:
    assert problem_with(text) == ".github/pr-review.yml is not YAML"


@given(st.text(max_size=200))
def test_any_file_ends_in_a_layer_or_one_line(text: str) -> None:
    assert "\n" not in problem_with(text)
