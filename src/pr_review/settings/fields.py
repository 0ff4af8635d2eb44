"""Every setting with its form, its default and the row of the docs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from pr_review.agents.catalogue import NAMES as AGENTS
from pr_review.agents.policy import Verify
from pr_review.event.policy import ALL
from pr_review.settings.rules import Rules
from pr_review.settings.values import (
    Address,
    Certificates,
    Dollars,
    Headers,
    Number,
    Positive,
    Seconds,
    Secret,
    Words,
    kebab,
)
from pr_review.snapshot.policy import Screening


class Fields(BaseSettings):
    """Every setting, by its outward name with `_` for `-`. The description is the docs' row."""

    model_config = SettingsConfigDict(
        alias_generator=kebab,
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
    api_base: Address = Field(
        "", description="Address of a gateway or a local server that speaks the provider's API"
    )
    extra_headers: Headers = Field(
        default_factory=dict,
        description="Headers sent with every model call, one `Name: value` a line",
        repr=False,
    )
    ca_bundle: Certificates = Field(
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
        AGENTS,
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
        (ALL,),
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
