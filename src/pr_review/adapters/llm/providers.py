"""Which provider a model's name means, and which variables that provider's access stands in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pr_review.adapters.llm.prices import list_entry, listed_providers
from pr_review.adapters.llm.wire import own_name

# Where LiteLLM looks for a key, when the name does not follow from the provider's.
_KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "text-completion-openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "azure": (
        "AZURE_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "AZURE_AD_TOKEN",
        "AZURE_FEDERATED_TOKEN_FILE",
    ),
    "azure_ai": ("AZURE_AI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY"),
    "huggingface": ("HUGGINGFACE_API_KEY", "HF_TOKEN"),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "cohere_chat": ("COHERE_API_KEY", "CO_API_KEY"),
    "datarobot": ("DATAROBOT_API_TOKEN",),
}
# Their access is a machine of one's own, or cloud credentials that have many forms.
_NO_KEY = frozenset(
    {"ollama", "ollama_chat", "lm_studio", "hosted_vllm", "llamafile", "vllm", "xinference"}
    | {"bedrock", "bedrock_converse", "sagemaker", "sagemaker_chat", "vertex_ai"}
)
_CLOUD = {
    "bedrock": ("AWS_",),
    "sagemaker": ("AWS_",),
    "vertex_ai": ("VERTEX", "GOOGLE_"),
    "azure": ("AZURE_", "OPENAI_API_VERSION"),
    "ollama": ("OLLAMA_",),
    "hosted_vllm": ("HOSTED_VLLM_",),
    "lm_studio": ("LM_STUDIO_",),
}
_FILES = (
    "GOOGLE_APPLICATION_CREDENTIALS",
    "VERTEXAI_CREDENTIALS",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "AZURE_FEDERATED_TOKEN_FILE",
)
_SUBJECT_TOKEN = "GOOGLE_SUBJECT_TOKEN"  # noqa: S105 - the name of a file
_CLAUDE_ELSEWHERE = frozenset({"vertex_ai", "azure_ai", "openrouter", "databricks"})
_USUAL_CACHE_TOKENS = 1_024
_ADDRESSES = ("API_BASE", "BASE_URL", "ORGANIZATION", "ORG_ID", "API_VERSION")
_NEVER = ("GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_")


def provider_of(model: str) -> str:
    """The provider that LiteLLM would ask; empty if the name tells none."""
    prefix, slash, _ = model.partition("/")
    if slash and (prefix in _KEYS or prefix in _NO_KEY or prefix in listed_providers()):
        return prefix
    entry = list_entry(model)
    name = str(entry.get("litellm_provider", "")) if entry else ""
    return "vertex_ai" if name.startswith("vertex_ai-") else name


def cache_mark(model: str) -> dict[str, str] | None:
    """What to put on the end of a shared prefix; None where prefixes are cached without it.

    Claude and Amazon's own models cache up to a mark. Gemini's marks make a cache that is paid
    by the hour, so it is asked for as long as the others' last: five minutes.
    """
    provider, name = provider_of(model), model.lower()
    if provider.startswith("bedrock") or provider == "anthropic":
        return {"type": "ephemeral"}
    if "claude" in name and provider in _CLAUDE_ELSEWHERE:
        return {"type": "ephemeral"}
    if "gemini" in name and provider in ("gemini", "vertex_ai"):
        return {"type": "ephemeral", "ttl": "300s"}
    return None


def least_cached_tokens(model: str) -> int | None:
    """Tokens of the shortest prefix that the provider caches: the list's, else the usual bound;
    None for a listed model of which it tells no cache.
    """
    entry = list_entry(model)
    if entry is None:
        return _USUAL_CACHE_TOKENS
    if least := entry.get("prompt_cache_min_tokens"):
        return int(least)
    caches = entry.get("supports_prompt_caching") or entry.get("cache_read_input_token_cost")
    return _USUAL_CACHE_TOKENS if caches else None


def credential_variables(model: str) -> tuple[str, ...]:
    """Variables from which LiteLLM takes this model's key; any one is enough. Empty where no
    key is needed, or the provider is unknown.
    """
    provider = provider_of(model)
    if not provider or provider in _NO_KEY:
        return ()
    return _KEYS.get(provider, (f"{_upper(provider)}_API_KEY",))


def provider_needs_key(model: str, *, api_base: str | None = None) -> bool:
    """Whether a call fails without a key: not for one's own servers, nor with cloud access."""
    return not api_base and bool(credential_variables(model))


def provider_environment(model: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of `environ` that this model's provider may see, and no others."""
    provider = provider_of(model)
    cloud = next((v for name, v in _CLOUD.items() if provider.startswith(name)), ())
    names = {*credential_variables(model), *(f"{_upper(provider)}_{a}" for a in _ADDRESSES)}
    seen = {
        name: value
        for name, value in environ.items()
        if value
        and not name.startswith(_NEVER)
        and (name in names or (bool(cloud) and name.startswith(cloud)))
    }
    # without it Google's library asks another service for the name of a project that is known
    known = {"GOOGLE_CLOUD_PROJECT": seen["VERTEXAI_PROJECT"]} if "VERTEXAI_PROJECT" in seen else {}
    return {**known, **seen}


def credential_files(environment: Mapping[str, str]) -> dict[str, str]:
    """The text of the credential files that variables name, by variable; unreadable ones are
    left out. A token that such a file names in its turn comes as one more.
    """
    found: dict[str, str] = {}
    for name in _FILES:
        text = _text(environment.get(name, ""))
        if text is not None:
            found |= _with_subject_token(name, text)
    return found


def _with_subject_token(name: str, text: str) -> dict[str, str]:
    """Google's file of a workload identity may name a file with the token to exchange: both, the
    first one naming the copy of the second.
    """
    try:
        account = json.loads(text)
        source = account["credential_source"]
        token = _text(source["file"])
    except (ValueError, RecursionError, LookupError, TypeError):
        return {name: text}
    if token is None:
        return {name: text}
    source["file"] = own_name(_SUBJECT_TOKEN, token)
    return {name: json.dumps(account), _SUBJECT_TOKEN: token}


def _text(path: str) -> str | None:
    """The text of a file; None if there is none that can be read."""
    try:
        return Path(path).read_text(encoding="utf-8") if path else None
    except (OSError, ValueError):
        return None


def _upper(provider: str) -> str:
    return provider.upper().replace("-", "_")
