"""Settings: flags over inputs over `.github/pr-review.yml` over defaults.

The one place where outward names are known. Everything below sees the small frozen policies
that `Settings` fills, never the environment. Values never appear in errors.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from pr_review import __version__
from pr_review.adapters.certificates import certificates
from pr_review.adapters.llm.model import ModelSettings
from pr_review.adapters.llm.providers import provider_of
from pr_review.agents import catalogue as agents
from pr_review.agents.catalogue import Agent
from pr_review.agents.policy import AgentPolicy, Verify
from pr_review.checks import policy as checks
from pr_review.checks.policy import ChecksPolicy
from pr_review.domain.finding import Severity
from pr_review.domain.ledger import Tier
from pr_review.domain.path_rule import PathRule
from pr_review.domain.pull_request import Guideline
from pr_review.domain.text import visible_line
from pr_review.errors import ConfigurationError, EventError, UnreadableFile, unknown_name
from pr_review.event import policy as event
from pr_review.event.payload import read_number
from pr_review.event.policy import EventPolicy
from pr_review.judge.policy import JudgePolicy
from pr_review.report.gates import Gates
from pr_review.review.marker import derive_key
from pr_review.review.policy import ReviewPolicy
from pr_review.snapshot.policy import Screening, SnapshotPolicy

FILE = ".github/pr-review.yml"
# A pull request must not decide who is paid or asked, and a file is no place for secrets.
NOT_IN_FILE = frozenset(
    ["github-token", "api-key", "api-base", "extra-headers", "ca-bundle", "pull-request"]
)
GUIDELINES = ("AGENTS.md", "CONTRIBUTING.md", ".github/copilot-instructions.md")
# Secrets, and what a machine of one's own has a place for: SSL_CERT_FILE.
NOT_A_FLAG = frozenset(["github-token", "api-key", "extra-headers", "ca-bundle"])
NO_MODEL = "none"
OFF = "off"
_MOST_RULES, _MOST_GLOBS, _MOST_GLOB = 50, 20, 200
_INVISIBLE = "\ufeff\u200b"
_QUOTES = "\"'"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Secrets, and what decides whether there is a review or what follows from it, not what it says.
_SAYS_NOTHING = {
    "github_token", "api_key", "extra_headers", "ca_bundle", "pull_request", "drafts", "bots",
    "skip_labels", "require_label", "author_associations", "review", "prepare_deadline",
    "run_deadline", "max_cost_usd", "max_cost_usd_per_pull_request", "request_changes", "fail_on",
    "fail_on_partial", "fail_on_refused", "report_sarif", "report_html",
}  # fmt: skip


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _listed(value: object) -> object:
    """A list in an input: one entry a line, or commas (not those inside `{a,b}`)."""
    if not isinstance(value, str):
        return value
    parts = map(_tidied, re.split(r"[\n,](?![^{}\n]*\})", value))
    return tuple(part for part in parts if part)


def _tidied(value: str) -> str:
    """Without white space and marks of encoding at its ends, and without one pair of quotes
    around it: what people paste, and what no value needs."""
    text = value.strip().strip(_INVISIBLE).strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES
    return text[1:-1].strip() if quoted and text[0] not in text[1:-1] else text


def _headers(value: object) -> object:
    """`Name: value`, one a line."""
    if not isinstance(value, str):
        return value
    found = {}
    for line in filter(None, (line.strip() for line in value.split("\n"))):
        name, colon, content = line.partition(":")
        if not colon or not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name.strip()):
            raise ValueError("each line must be `Name: value`")
        found[name.strip()] = content.strip()
    return found


def _number(value: object) -> object:
    """`7`, `#7`, or the address of a pull request; empty is unset."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not text.strip():
        return text
    try:
        read_number(text)
    except EventError as error:
        raise ValueError(error.message) from None
    return text.strip()


def _address(value: object) -> object:
    """An http(s) address with a host; empty is unset."""
    if not isinstance(value, str) or not value.strip():
        return value
    try:
        parts = urlsplit(value.strip())
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise ValueError("should be an address such as https://gateway.example/v1")
    return value.strip()


def _stripped(value: object) -> object:
    """A token with a newline at its end is printed whole by HTTP libraries."""
    if not isinstance(value, str):
        return value
    if _CONTROL.search(text := value.strip()):
        raise ValueError("holds a line end or another control character; paste it again")
    return text


def _certificates(value: object) -> object:
    """PEM text; empty is unset."""
    return certificates(value) if isinstance(value, str) and value.strip() else value


# the second types stand in the JSON schema of the file: a list there, or what an input takes
Words = Annotated[
    tuple[str, ...], BeforeValidator(_listed, json_schema_input_type=list[str | float] | str)
]
Secret = Annotated[SecretStr | None, BeforeValidator(_stripped)]
Positive = Annotated[int, Field(gt=0)]
Number = Annotated[str, BeforeValidator(_number)]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Dollars = Annotated[float, Field(ge=0)]


_Glob = Annotated[str, Field(min_length=1, max_length=_MOST_GLOB)]
_Globs = Annotated[list[_Glob | float], Field(min_length=1, max_length=_MOST_GLOBS)]


class RuleSetting(BaseModel):
    """One rule of `paths`, as it is written."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        str_strip_whitespace=True,
        json_schema_extra={
            "anyOf": [
                {"required": [key], "properties": {key: {"not": {"enum": ["", [], None]}}}}
                for key in ("instructions", "agents", "tier")
            ]
        },
    )

    paths: Annotated[
        tuple[str, ...], BeforeValidator(_listed, json_schema_input_type=_Globs | _Glob)
    ] = Field(
        min_length=1,
        max_length=_MOST_GLOBS,
        description="Globs of the files that the rule is about",
    )
    instructions: str = Field(
        "", max_length=2_000, description="What agents judge these files by, beside the rest"
    )
    agents: Words = Field((), description="The only agents to review these files; unset, all")
    tier: Literal["generated", "asset", "snapshot", "test", "source"] | None = Field(
        None, description="Tier of these files, whatever their paths and texts say"
    )

    @model_validator(mode="after")
    def _says_something(self) -> RuleSetting:
        if not (self.instructions or self.agents or self.tier):
            raise ValueError("says nothing of its paths: give instructions, agents or tier")
        if any(len(glob) > _MOST_GLOB for glob in self.paths):
            raise ValueError(f"holds a glob of over {_MOST_GLOB} characters")
        return self


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


def _ruled(value: object) -> object:
    """Rules as a list, or as YAML text; a key without a value is not given."""
    if isinstance(value, str):
        try:
            value = yaml.safe_load(value) or []
        except Exception as error:  # noqa: BLE001 - as in `file`
            raise ValueError(f"is not YAML{_line(error)}") from None
    if not isinstance(value, list | tuple) or not all(map(_is_mapping, value)):
        raise ValueError("should be a list of rules such as `- paths: docs/**`")
    if len(value) > _MOST_RULES:
        raise ValueError(f"holds {len(value)} rules, and {_MOST_RULES} are taken at most")
    return [{k: _plain(k, v) for k, v in rule.items() if v is not None} for rule in value]


_SomeRules = Annotated[list[RuleSetting], Field(max_length=_MOST_RULES)]
Rules = Annotated[
    tuple[RuleSetting, ...], BeforeValidator(_ruled, json_schema_input_type=_SomeRules | str)
]


class Settings(BaseSettings):
    """Every setting, by its outward name with `_` for `-`. The description is the docs' row."""

    model_config = SettingsConfigDict(
        alias_generator=_kebab,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        str_strip_whitespace=True,
    )

    github_token: Secret = Field(
        None, description="Token that reads the pull request and posts the review"
    )
    model: str = Field(
        "",
        description="A LiteLLM model name such as `anthropic/claude-sonnet-4-5`, or `none` for the checks alone",
    )
    api_key: Secret = Field(None, description="Key of the model's provider")
    api_base: Annotated[str, BeforeValidator(_address)] = Field(
        "", description="Address of a gateway or a local server that speaks the provider's API"
    )
    extra_headers: Annotated[dict[str, str], BeforeValidator(_headers)] = Field(
        default_factory=dict,
        description="Headers sent with every model call, one `Name: value` a line",
        repr=False,
    )
    ca_bundle: Annotated[str, BeforeValidator(_certificates)] = Field(
        "",
        description="PEM text of certificates to trust beside the public ones: of an Enterprise server, a gateway or a proxy",
        repr=False,
    )
    fallback_models: Words = Field(
        (),
        description="Models to ask in turn where `model` gives no answer; those of another provider find their key in its variable, such as `OPENAI_API_KEY`",
    )
    temperature: float | None = Field(
        None, ge=0, le=2, description="Sampling temperature; unset, none is sent"
    )
    max_output_tokens: Positive | None = Field(
        None, description="Tokens of one answer; unset, what the model allows, at most 16,384"
    )
    input_cost_per_mtok: Dollars | None = Field(
        None, description="US dollars per million input tokens, where the price is not known"
    )
    output_cost_per_mtok: Dollars | None = Field(
        None, description="US dollars per million output tokens, where the price is not known"
    )
    max_cost_usd: Dollars | None = Field(
        None,
        description="Ceiling of one run by its quote; over it, or with an unknown price, the run is refused",
    )
    max_cost_usd_per_pull_request: Dollars | None = Field(
        None,
        description="Ceiling of all runs on a pull request, by what earlier ones cost and the quote; over it, or if that cannot be told, the run is refused",
    )
    agents: Words = Field(
        agents.NAMES,
        description="Agents to ask: shipped ones, and own ones from `.github/pr-review/agents/`",
    )
    guidelines: Literal["off", "auto"] = Field(
        "off",
        description="`auto` gives agents `AGENTS.md`, `CONTRIBUTING.md` and `.github/copilot-instructions.md` of the base branch to judge by",
    )
    language: str = Field(
        "English", min_length=1, max_length=60, description="Language of the findings' prose"
    )
    verify: Verify = Field(
        Verify.HIGH,
        description="Findings that the model is asked to refute before anybody reads them, in one request more (which also asks what is one problem in other words): those of `high` severity and above, `all` of the agents, or none: `off`",
    )
    checks: Words = Field(
        ("all",),
        description="Deterministic checks to run, or with a hyphen (`-skipped-test`) those of all that do not; `all` or `none` stand alone",
    )
    sarif_files: Words = Field(
        (),
        description="Globs of SARIF files that earlier steps of the job left in the checkout, and that no commit holds; their results on changed lines become findings",
    )
    max_comments: int = Field(
        10, ge=0, le=50, description="Inline comments at most; the other findings go to the body"
    )
    min_severity: Literal["low", "medium", "high", "critical"] = Field(
        "low",
        description="Findings below it are left out, of checks and tools as well; the JSON report lists them",
    )
    include: Words = Field((), description="Globs of paths to review; unset, all")
    exclude: Words = Field(
        (), description="Globs of paths not to review; they stand in the account all the same"
    )
    paths: Rules = Field(
        (),
        description="Rules for files, as YAML: instructions, agents or a tier for those that globs match",
    )
    screening: Screening = Field(
        Screening.REDACT,
        description="Credentials in what would be sent: `redact` them, `refuse` the run, or `off`",
    )
    diff_token_budget: Annotated[int, Field(ge=1_000)] = Field(
        100_000, description="Tokens of the whole snapshot: notice, diff and context"
    )
    max_passes: Annotated[int, Field(ge=1, le=4)] = Field(
        1,
        description="Snapshots that source and tests may take if they do not fit into one, up to 4; all agents are asked about each",
    )
    max_file_bytes: Annotated[int, Field(ge=1_000)] = Field(
        65_536, description="Bytes shown of one file"
    )
    max_context_bytes: Annotated[int, Field(ge=0)] = Field(
        262_144,
        description="Bytes of source beyond the diff itself: nearby lines, signatures, definitions",
    )
    max_dependencies: Annotated[int, Field(ge=0, le=100)] = Field(
        8, description="Definitions shown that changed lines use"
    )
    context_lines_before: Annotated[int, Field(ge=0, le=1_000)] = Field(
        3, description="Unchanged lines shown before a hunk, more than the diff's own three"
    )
    context_lines_after: Annotated[int, Field(ge=0, le=1_000)] = Field(
        1, description="Unchanged lines shown after a hunk, more than the diff's own three"
    )
    dynamic_context: bool = Field(
        default=True, description="Grow context to the start of the enclosing function or class"
    )
    max_scope_lines: Annotated[int, Field(ge=0, le=1_000)] = Field(
        20,
        description="Lines up to which that start is shown in full; beyond, its signature alone",
    )
    context_skip_suffixes: Words = Field(
        (".md", ".txt"), description="Suffixes of files without context beyond the diff"
    )
    max_diff_bytes: Annotated[int, Field(ge=1_000)] = Field(
        8_000_000,
        description="Bytes of the raw diff; over it the run is refused and the files are listed",
    )
    max_prompt_tokens: Annotated[int, Field(ge=4_000)] = Field(
        180_000, description="Tokens of one assembled prompt"
    )
    prepare_deadline: Seconds = Field(
        30.0,
        description="Seconds for preparation, fetching included; files that are not ready then are omitted",
    )
    run_deadline: Seconds = Field(
        120.0,
        description="Seconds for the agents, in each pass; one that did not answer has failed",
    )
    review: Literal["incremental", "full"] = Field(
        "incremental",
        description="What later pushes get: `incremental`, what is new since the last review, or `full`",
    )
    drafts: bool = Field(default=False, description="Review drafts too")
    bots: Words = Field((), description="Logins of bot authors to review all the same")
    skip_labels: Words = Field((), description="Labels of pull requests to leave alone")
    require_label: str = Field("", description="Label without which a pull request is left alone")
    author_associations: Words = Field(
        (event.ALL,),
        description="Authors to review, by what GitHub says of them: `OWNER`, `MEMBER`, `COLLABORATOR`, `CONTRIBUTOR`, `NONE` and others; `all` stands alone",
    )
    pull_request: Number = Field(
        "", description="Number of the pull request, for events that bring none"
    )
    request_changes: bool = Field(
        default=False,
        description="Ask for changes, instead of commenting, when there is a finding",
    )
    fail_on: Literal["never", "low", "medium", "high", "critical"] = Field(
        "never", description="Fail the step (exit 10) on a finding of this severity or above"
    )
    fail_on_partial: Literal["never", "source", "any"] = Field(
        "never",
        description="Fail the step (exit 11) when not all source, or not every file, was seen",
    )
    fail_on_refused: bool = Field(
        default=False,
        description="Fail the step (exit 11) when the run was refused or nothing could be reviewed",
    )
    report_sarif: bool = Field(
        default=False,
        description="Write the findings as a SARIF file, too, for code scanning; the output `sarif` names it",
    )
    report_html: bool = Field(
        default=False,
        description="Write the review as a page, too, beside the lines of the change; it holds source; the output `html` names it",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library's signature
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The layers given to `load`, first one first; neither environment nor `.env` is read."""
        assert isinstance(init_settings, InitSettingsSource)
        layers = init_settings.init_kwargs["layers"]
        return tuple(InitSettingsSource(settings_cls, init_kwargs=layer) for layer in layers)

    _own: tuple[Agent, ...] = PrivateAttr(())
    _guidelines: tuple[Guideline, ...] = PrivateAttr(())

    def complete(self, read: Callable[[str], str | None], *, where: str = "") -> Settings:
        """The settings with what they take from files of the base branch: own agents, and with a
        model the guidelines. `read` gives a file's text there, None if there is none; `where` ends
        its name in errors.

        Raises `ConfigurationError` for an agent that is broken or unknown.
        """
        made = self.model_copy()
        made._own = agents.own_agents(self.agents, read, where=where)
        wanted = GUIDELINES if self.guidelines == "auto" and self.has_model else ()
        given = (_guideline(path, read) for path in wanted)
        made._guidelines = tuple(one for one in given if one.text or one.problem)
        return made

    @property
    def has_model(self) -> bool:
        return self.model not in ("", NO_MODEL)

    @property
    def token(self) -> str:
        return self.github_token.get_secret_value() if self.github_token else ""

    @property
    def key(self) -> str:
        return self.api_key.get_secret_value() if self.api_key else ""

    def event_policy(self, repository: str = "") -> EventPolicy:
        """Raises `ConfigurationError` if `pull-request` is an address in another repository."""
        number = None
        if self.pull_request:
            try:
                number = read_number(self.pull_request, repository)
            except EventError as error:
                raise ConfigurationError(error.message, remedy=error.remedy) from None
        return EventPolicy(
            self.drafts,
            self.bots,
            self.skip_labels,
            self.require_label,
            number,
            event.associations(self.author_associations),
        )

    @property
    def rules(self) -> tuple[PathRule, ...]:
        """The rules of `paths`; one that names no agent which is asked leaves its files to all."""
        return tuple(
            PathRule(
                rule.paths,
                rule.instructions,
                tuple(name for name in dict.fromkeys(self.agents) if name in rule.agents),
                Tier[rule.tier.upper()] if rule.tier else None,
            )
            for rule in self.paths
        )

    def snapshot_policy(self) -> SnapshotPolicy:
        return SnapshotPolicy(
            self.diff_token_budget,
            self.max_file_bytes,
            self.include,
            self.exclude,
            self.screening,
            self.max_context_bytes,
            self.max_dependencies,
            self.context_lines_before,
            self.context_lines_after,
            self.dynamic_context,
            self.max_scope_lines,
            tuple(suffix.lower() for suffix in self.context_skip_suffixes),
            passes=self.max_passes,
            rules=self.rules,
        )

    def agent_policy(self) -> AgentPolicy:
        return AgentPolicy(
            self.agents,
            self.language,
            self.max_output_tokens,
            self.run_deadline,
            self.max_prompt_tokens,
            self.max_cost_usd,
            self.fallback_models if self.has_model else (),
            verify=self.verify,
            own=self._own,
            rules=self.rules,
            guidelines=self._guidelines,
            guided=self.guidelines == "auto" or any(rule.instructions for rule in self.paths),
        )

    def fallback_settings(self, ca_file: Path | None = None) -> tuple[ModelSettings, ...]:
        """How the fallback models are reached: only one of the same provider is shown the key,
        the headers and the address that were given for `model`.
        """
        first = self.model_settings(ca_file)
        return tuple(
            replace(first, model=name)
            if provider_of(name) == provider_of(self.model) != ""
            else ModelSettings(name, temperature=self.temperature, ca_file=ca_file)
            for name in self.fallback_models
        )

    def model_settings(self, ca_file: Path | None = None) -> ModelSettings:
        return ModelSettings(
            self.model,
            api_key=self.key or None,
            api_base=self.api_base or None,
            extra_headers=self.extra_headers,
            temperature=self.temperature,
            ca_file=ca_file,
        )

    def checks_policy(self) -> ChecksPolicy:
        return ChecksPolicy(self.checks)

    def judge_policy(self) -> JudgePolicy:
        least = Severity[self.min_severity.upper()]
        return JudgePolicy(self.max_comments, least, rules=self.rules)

    def review_policy(self) -> ReviewPolicy:
        """The marker is signed only with a key that later runs have too."""
        key = derive_key(self.key) if self.key else None
        return ReviewPolicy(self.request_changes, self.digest(), key)

    def gates(self) -> Gates:
        worst = None if self.fail_on == "never" else Severity[self.fail_on.upper()]
        return Gates(worst, self.fail_on_partial, self.fail_on_refused)

    def digest(self) -> str:
        """Names what decides what a review says: the settings, without secrets, what they take
        from the base branch, and the release, whose rules another one does not have to share."""
        values = __version__ + self.model_dump_json(exclude=_SAYS_NOTHING)
        if taken := (*self._own, *self._guidelines):
            values += repr(taken)
        return hashlib.sha256(values.encode()).hexdigest()[:16]


def _guideline(path: str, read: Callable[[str], str | None]) -> Guideline:
    """A file of guidelines, empty if there is none: what is none that can be read ends no run."""
    try:
        return Guideline(path, read(path) or "", path)
    except UnreadableFile as error:
        return Guideline(path, "", path, problem=error.message)


@dataclass(frozen=True, slots=True)
class Layer:
    """Values by outward name, and what they are called in errors: flag, input or key.

    `lines` tells of a file's keys where they stand, counted from 1.
    """

    origin: str
    values: Mapping[str, Any]
    lines: Mapping[str, int] = field(default_factory=dict)

    def called(self, name: str) -> str:
        """What a name is in errors: `flag --model`, `input model`."""
        return f"{self.origin}{name}" if self.origin.endswith("--") else f"{self.origin} {name}"


def load(*layers: Layer) -> Settings:
    """Settings from layers, the first one first. Raises `ConfigurationError` in one line."""
    for layer in layers:
        _known(layer)
    try:
        settings = Settings(layers=[dict(layer.values) for layer in layers])  # type: ignore[call-arg]
    except ValidationError as error:
        raise _invalid(error, layers) from None
    if NO_MODEL in settings.fallback_models:
        raise ConfigurationError("fallback-models: none is no model", remedy="leave it out")
    agents.own_names(settings.agents)
    _known_reviewers(settings)
    event.associations(settings.author_associations)
    checks.select(settings.checks_policy())
    return settings


def _known_reviewers(settings: Settings) -> None:
    known = [*dict.fromkeys([*agents.NAMES, *settings.agents])]
    for index, rule in enumerate(settings.paths):
        for name in rule.agents:
            if name not in known:
                where, remedy = (
                    f"paths[{index}].agents",
                    "name it in agents, too, if it is your own",
                )
                raise unknown_name(where, "agent", name, known, remedy=remedy)


def inputs(environ: Mapping[str, str]) -> tuple[Layer, tuple[str, ...]]:
    """The action's inputs, and a warning for every `INPUT_*` that is none of ours.

    The runner sets `INPUT_<NAME>` in upper case, hyphens kept; an unset input is empty.
    https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax#inputs
    """
    values, warnings = {}, []
    for variable, value in environ.items():
        name = variable.removeprefix("INPUT_").lower()
        if not variable.startswith("INPUT_"):
            continue
        if name not in NAMES:
            warnings.append(f"input {name} is not known{_nearest(name)}")
        elif tidied := _tidied(value):
            values[name] = tidied
    return Layer("input", values), tuple(warnings)


def file(text: str | None, *, place: str = FILE) -> Layer:
    """The configuration file. Raises `ConfigurationError` if it is no mapping of our keys."""
    if text is None:
        return Layer(f"{place}:", {})
    try:
        loaded = yaml.safe_load(text)
    except Exception as error:  # noqa: BLE001 - a tag such as `!!int ""` raises anything
        raise ConfigurationError(f"{place} is not YAML{_line(error)}") from None
    if loaded is None:
        return Layer(f"{place}:", {})
    if not _is_mapping(loaded):
        raise ConfigurationError(f"{place} must hold keys and values, such as `drafts: true`")
    for key in sorted(NOT_IN_FILE & loaded.keys()):
        raise ConfigurationError(
            f"{place}: {key} may not be set in the file", remedy="set it as an input of the action"
        )
    values = {key: _plain(key, value) for key, value in loaded.items() if value is not None}
    return Layer(f"{place}:", values, _lines(text))


def _lines(text: str) -> dict[str, int]:
    """Where the keys of a mapping stand; of one that is given twice, the one that counts."""
    node = yaml.compose(text, yaml.SafeLoader)
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return {key.value: key.start_mark.line + 1 for key, _ in pairs}


def _plain(name: str, value: object) -> object:
    """YAML reads `1.0`, `yes` and `off` as numbers and booleans; lists become tuples of text."""
    if value is False and OFF in choices(name):
        return OFF
    if isinstance(value, list):
        return tuple(str(item) if isinstance(item, int | float) else item for item in value)
    return value


def _line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f": line {mark.line + 1}" if mark else ""


def _known(layer: Layer) -> None:
    for name in layer.values:
        if name not in NAMES:
            called = layer.called(_shown(name))
            raise ConfigurationError(f"{called} is not known{_nearest(name)}")


def _shown(name: str) -> str:
    return visible_line(name)[:60]


def _nearest(name: str, known: Sequence[str] = ()) -> str:
    near = difflib.get_close_matches(name, known or NAMES, n=1, cutoff=0.6)
    return f"; the nearest is {near[0]}" if near else ""


def _invalid(error: ValidationError, layers: Sequence[Layer]) -> ConfigurationError:
    """The first problem, by outward name and origin, without the value that caused it."""
    problems = error.errors(include_input=False, include_url=False, include_context=False)
    # a slip in a key is also the lack of the right one, which is told first
    slips = (problem for problem in problems if problem["type"] == "extra_forbidden")
    problem = next(slips, problems[0])
    name, *inside = problem["loc"]
    setting = Layer("setting", {})
    layer = next((layer for layer in layers if name in layer.values), setting)
    words = problem["msg"].removeprefix("Value error, ").partition(", unable to parse")[0]
    words = re.sub("^(Input|String|Tuple) should", "should", words).replace(" after validation", "")
    words = words.replace("Field required", "is missing")
    if problem["type"] == "extra_forbidden" and inside:
        key = str(inside.pop())
        words = f"{_shown(key)} is not known{_nearest(key, tuple(RuleSetting.model_fields))}"
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in inside)
    return ConfigurationError(f"{layer.called(str(name))}{place}: {words}")


def choices(name: str) -> tuple[str, ...]:
    """The words that a setting takes, where it takes no others."""
    found = Settings.model_fields.get(name.replace("-", "_"))
    kind = found.annotation if found else None
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return tuple(kind)
    return tuple(word for word in get_args(kind) if isinstance(word, str))


def default(name: str) -> str:
    """A setting's default as somebody would write it; empty if it is unset without one."""
    field = Settings.model_fields[name.replace("-", "_")]
    value = field.get_default(call_default_factory=True)
    match value:
        case bool():
            return str(value).lower()
        case StrEnum():
            return value.value
        case tuple():
            return ", ".join(value)
        case float():
            return f"{value:g}"
        case _:
            return str(value) if value else ""


NAMES = tuple(_kebab(name) for name in Settings.model_fields)
