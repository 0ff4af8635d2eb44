"""What the commands share: doors made from settings, and the model if there is to be one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pr_review.adapters.certificates import trust_file
from pr_review.adapters.git import RemoteSource
from pr_review.adapters.github import Client, RestSource
from pr_review.adapters.llm.fallback import FallbackModel
from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.adapters.llm.prices import pricing
from pr_review.adapters.llm.providers import credential_variables, provider_needs_key
from pr_review.adapters.secrets import Kingfisher
from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.adapters.workspace import Workspace
from pr_review.adapters.yaml_leaves import leaves
from pr_review.agents.ports import Pricing
from pr_review.agents.quote import dearest
from pr_review.change.fallback import Fallback
from pr_review.change.ports import ChangeSource
from pr_review.checks.ports import Tree
from pr_review.domain.pull_request import PullRequest
from pr_review.errors import ConfigurationError
from pr_review.plan import Doors, Plan
from pr_review.settings import NO_MODEL, Settings

_PASSED = (
    "PATH", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy",
    "no_proxy", "all_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "TMPDIR",
)  # fmt: skip


def passed_to_git(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that git may see: where programs are, proxies, certificates."""
    kept = {name: environ[name] for name in _PASSED if environ.get(name)}
    return {"PATH": os.defpath, **kept}


def plan(settings: Settings, *, since: str = "") -> Plan:
    """What the settings decide; `since` is the commit up to which the change was reviewed."""
    return Plan(
        replace(settings.snapshot_policy(), since=since),
        settings.agent_policy(),
        settings.checks_policy(),
        settings.judge_policy(),
        settings.prepare_deadline,
        settings.max_diff_bytes,
    )


def missing_model(settings: Settings, environ: Mapping[str, str]) -> ConfigurationError | None:
    """Why no model can be asked although the settings do not say `none`."""
    if settings.model == NO_MODEL:
        return None
    if not settings.model:
        what = "api-key is set, but model is not" if settings.key else "model is not set"
        return ConfigurationError(
            what,
            remedy="name a model such as anthropic/claude-sonnet-4-5, or none for the checks alone",
        )
    models = (settings.model_settings(), *settings.fallback_settings())
    return next(filter(None, (_missing_key(model, environ) for model in models)), None)


def _missing_key(model: ModelSettings, environ: Mapping[str, str]) -> ConfigurationError | None:
    if model.api_key or not provider_needs_key(model.model, api_base=model.api_base):
        return None
    variables = credential_variables(model.model)
    if any(environ.get(variable, "").strip() for variable in variables):
        return None
    return ConfigurationError(
        f"{model.model} needs a credential and none was found",
        remedy=f"set api-key, or {' or '.join(variables)}",
    )


@contextmanager
def trusted(settings: Settings) -> Iterator[Path | None]:
    """A file of all certificates to trust; None if `ca-bundle` adds none to the public ones."""
    if not settings.ca_bundle:
        yield None
        return
    with trust_file(settings.ca_bundle) as path:
        yield path


def child_model(
    settings: Settings, environ: Mapping[str, str], ca_bundle: Path | None = None
) -> ChildModel | None:
    """The model, not started yet; None if the settings ask for none. `ca_bundle` is what
    `trusted` gives.
    """
    if not settings.has_model:
        return None
    withheld = [settings.token] if settings.token else []
    first = settings.model_settings(ca_bundle)
    if not settings.fallback_models:
        return ChildModel(first, environ, withheld=withheld)
    others = [
        (other, _fallback_pricing(settings, other.model))
        for other in settings.fallback_settings(ca_bundle)
    ]
    models = [(first, _given_pricing(settings, first.model)), *others]
    return FallbackModel(models, environ, withheld=withheld)


@contextmanager
def fetched(
    pull: PullRequest,
    merge_base: str,
    settings: Settings,
    client: Client,
    *,
    server_url: str,
    environ: Mapping[str, str],
    bundle: Path | None,
    say: Callable[[str], None],
) -> Iterator[Fallback[RemoteSource | RestSource]]:
    """The change of a pull request: by git, or where git cannot reach the server, by its API."""

    def by_rest() -> RestSource:
        return RestSource(
            client,
            number=pull.number,
            merge_base=merge_base,
            head=pull.head_sha,
            max_bytes=settings.max_diff_bytes,
            seconds=settings.prepare_deadline,
        )

    by_git = RemoteSource(
        server_url=server_url,
        repository=str(pull.repository),
        number=pull.number,
        merge_base=merge_base,
        head=pull.head_sha,
        token=settings.token,
        max_bytes=settings.max_diff_bytes,
        passed=passed_to_git(environ),
        seconds=settings.prepare_deadline,
        ca_bundle=bundle,
    )
    with by_git:
        yield Fallback(by_git, by_rest, say)


def doors(
    source: ChangeSource,
    model: ChildModel | None,
    settings: Settings,
    say: Callable[[str], None],
    *,
    tree: Callable[[], Tree | None],
    workspace: Path | None,
) -> Doors:
    """Everything that a run of the pipeline reaches the world through; `workspace` is the top of
    the checkout in which other tools left their results."""
    return Doors(
        source,
        tree,
        token_counter(),
        Kingfisher(),
        TreeSitter(),
        model,
        known_pricing(settings),
        say,
        yaml=leaves,
        results=Workspace(workspace, settings.sarif_files).results,
    )


def known_pricing(settings: Settings) -> Pricing:
    """What is known of the model that the settings name, by the list and by the user; with
    `fallback-models`, what holds whichever answers.
    """
    if not settings.has_model:
        return Pricing()
    (_, first), *others = pricings(settings)
    return dearest([first, *(other for _, other in others)]) if others else first


def pricings(settings: Settings) -> list[tuple[str, Pricing]]:
    """The models that may answer, the first one first, and what is known of each."""
    others = [(name, _fallback_pricing(settings, name)) for name in settings.fallback_models]
    return [(settings.model, _given_pricing(settings, settings.model)), *others]


def _fallback_pricing(settings: Settings, model: str) -> Pricing:
    """The list's; the user's prices are those of `model`, and serve where the list has none."""
    listed = pricing(model) or Pricing()
    priced = listed.input_usd is not None and listed.output_usd is not None
    return listed if priced else _given_pricing(settings, model)


def _given_pricing(settings: Settings, model: str) -> Pricing:
    found = pricing(
        model,
        input_per_mtok=settings.input_cost_per_mtok,
        output_per_mtok=settings.output_cost_per_mtok,
    )
    return found or Pricing()
