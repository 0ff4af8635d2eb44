"""The model: named, paid for, reachable, and, if asked for, answering."""

from __future__ import annotations

from collections.abc import Iterator

from pr_review.adapters.actions.environment import in_actions
from pr_review.adapters.llm.model import ModelSettings
from pr_review.adapters.llm.prices import list_entry, listed_names, listed_providers
from pr_review.adapters.llm.providers import credential_variables, provider_of
from pr_review.adapters.llm.reach import address_of, reach
from pr_review.agents.ports import ModelCall, ModelReply
from pr_review.agents.quote import cost, no_price
from pr_review.commands.doctor.diagnosis import (
    Diagnosis,
    Patient,
    Topic,
    ok,
    problem,
    skipped,
    warning,
    wrong,
)
from pr_review.commands.reviewing import NO_LASTING_KEY
from pr_review.commands.wiring import child_model, known_pricing, missing_model, pricings
from pr_review.domain.money import dollars
from pr_review.errors import PrReviewError, nearest
from pr_review.settings import NO_MODEL, Settings

_ASK_SECONDS = 60.0
_ASK_TOKENS = 1_024  # a model that thinks first needs room to come to its word
_ASK_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}


def model(patient: Patient) -> Iterator[Diagnosis]:
    """Whether one can be asked: its name, its key, its price, its server."""
    settings = patient.settings
    if settings.model == NO_MODEL:
        yield ok(Topic.MODEL, "none: the checks run alone")
        return
    missing = missing_model(settings, patient.environ)
    if missing and not settings.model:
        yield problem(Topic.MODEL, missing)
        return
    for one in _models(settings):
        yield _named(one.model)
        if key := _key(one, patient):
            yield ok(Topic.KEY, f"{one.model}: {key}")
    if missing:
        yield problem(Topic.KEY, missing)
    yield from _known(settings)
    yield from _account(patient)
    yield from _reached(patient)
    if not missing:
        yield _answered(patient)


def _models(settings: Settings) -> tuple[ModelSettings, ...]:
    return settings.model_settings(), *settings.fallback_settings()


def _named(name: str) -> Diagnosis:
    """Whether anything is known of a name; one of a model of one's own need not be known."""
    if list_entry(name) is not None:
        return ok(Topic.MODEL, name)
    if not provider_of(name):
        text = f"{name}: no provider is known by this name{_nearest(name)}"
        return warning(Topic.MODEL, text, "write it as provider/model")
    text = f"{name} is not in LiteLLM's list{_nearest(name)}"
    return warning(Topic.MODEL, text, "check the spelling, unless it is new or a model of your own")


def _nearest(name: str) -> str:
    """The nearest name that is listed: of the provider's models, else of providers, or of all
    models where none is named."""
    provider, slash, own = name.partition("/")
    if slash and not provider_of(name):
        near = nearest(provider, listed_providers())
    elif slash:  # by the part that differs: what is the same would make all of them near
        names = {one.partition("/")[2]: one for one in listed_names(provider)}
        near = names.get(nearest(own, names), "")
    else:
        near = nearest(name, listed_names())
    return f"; the nearest is {near}" if near else ""


def _key(one: ModelSettings, patient: Patient) -> str:
    """Where the key stands, never the key itself; empty if one is needed and missing."""
    if one.api_key:
        return "api-key is set"
    variables = credential_variables(one.model)
    for name in variables:
        if patient.environ.get(name, "").strip():
            return f"{name} is set"
    if not provider_of(one.model) or (variables and not one.api_base):
        return ""
    return "none is needed"


def _known(settings: Settings) -> Iterator[Diagnosis]:
    """Price and window of each model that may answer."""
    for name, known in pricings(settings):
        if known.input_usd is None or known.output_usd is None:
            yield _unpriced(name, settings)
        else:
            read, written = (f"${usd * 1_000_000:g}" for usd in (known.input_usd, known.output_usd))
            yield ok(Topic.PRICE, f"{name}: {read} a million tokens of input, {written} of output")
        if known.window is None:
            yield warning(
                Topic.WINDOW, f"{name}: how much it takes is not known",
                f"lower max-prompt-tokens if that is less than {settings.max_prompt_tokens:,}",
            )  # fmt: skip
        else:
            yield ok(Topic.WINDOW, f"{name}: {known.window:,} tokens")


def _unpriced(name: str, settings: Settings) -> Diagnosis:
    """Unknown is no problem, unless a ceiling is to be kept."""
    ceilings = {
        "max-cost-usd": settings.max_cost_usd,
        "max-cost-usd-per-pull-request": settings.max_cost_usd_per_pull_request,
    }
    ceiling = next((name for name, value in ceilings.items() if value is not None), "")
    text, _, remedy = no_price(ceiling, name).partition(": ")
    if not ceiling:
        return warning(Topic.PRICE, f"the price of {name} is unknown", remedy)
    return wrong(Topic.PRICE, f"{text}, so every run is refused", remedy)


def _account(patient: Patient) -> Iterator[Diagnosis]:
    """Whether what earlier runs cost can be known, where a ceiling counts on it: in the action."""
    settings = patient.settings
    if settings.max_cost_usd_per_pull_request is None or not in_actions(patient.environ):
        return
    if settings.review_policy().marker_key is None:
        what, _, remedy = NO_LASTING_KEY.partition(": ")
        text = f"max-cost-usd-per-pull-request cannot be kept, so every run is refused: {what}"
        yield wrong(Topic.PRICE, text, remedy)


def _reached(patient: Patient) -> Iterator[Diagnosis]:
    """Each server once."""
    seen = set[str]()
    for one in _models(patient.settings):
        address = address_of(one.model, api_base=one.api_base, environ=patient.environ)
        if address in seen:
            continue
        seen.add(address)
        if not address:
            yield skipped(Topic.SERVER, f"where {one.model} is asked is known to LiteLLM alone")
            continue
        try:
            found = reach(address, patient.environ, ca_file=patient.bundle, seconds=patient.seconds)
        except PrReviewError as error:
            yield problem(Topic.SERVER, error)
            continue
        through = f" through the proxy {found.proxy}" if found.proxy else ""
        text = f"{found.server} answers{through}"
        if found.status >= 500:
            yield warning(Topic.SERVER, f"{text}, with {found.status}", "try again later")
        else:
            yield ok(Topic.SERVER, text)


def _answered(patient: Patient) -> Diagnosis:
    if not patient.parsed.ask:
        return skipped(Topic.ANSWER, "not asked", "--ask asks for one word, which is billed")
    asked = child_model(patient.settings, patient.environ, patient.bundle)
    assert asked is not None
    try:
        with asked:
            reply = asked.complete(_CALL, seconds=_ASK_SECONDS)
    except PrReviewError as error:
        return problem(Topic.ANSWER, error)
    return _reply(patient.settings, reply)


_CALL = ModelCall(
    system="",
    prefix="",
    task='Answer with this JSON and nothing else: {"word": "ok"}',
    schema=_ASK_SCHEMA,
    max_output_tokens=_ASK_TOKENS,
    retries=0,
)


def _reply(settings: Settings, reply: ModelReply) -> Diagnosis:
    pricing = reply.pricing or known_pricing(settings)
    billed = cost(reply.input_tokens, reply.output_tokens, pricing)
    price = "at an unknown price" if billed is None else f"for {dollars(billed)}"
    tokens = f"{reply.input_tokens:,} + {reply.output_tokens:,} tokens {price}"
    if reply.model:
        text = f"{settings.model} gave no answer, {reply.model} did: {tokens}"
        return warning(Topic.ANSWER, text, "see what --ask says of it without fallback-models")
    return ok(Topic.ANSWER, f"{settings.model} answered: {tokens}")
