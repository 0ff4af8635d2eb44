"""Whether a model's server can be reached: name, connection, certificate, proxy; no key is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import requests
from requests import exceptions as http
from requests.utils import should_bypass_proxies
from urllib3.exceptions import NameResolutionError

from pr_review.adapters.certificates import TRUST_IT
from pr_review.adapters.llm.providers import provider_environment, provider_of
from pr_review.adapters.within import within
from pr_review.errors import ModelError

# Where LiteLLM asks, unless told otherwise. Others are found by region, account or deployment.
_ADDRESSES = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "gemini": "https://generativelanguage.googleapis.com",
    "mistral": "https://api.mistral.ai",
    "groq": "https://api.groq.com",
    "deepseek": "https://api.deepseek.com",
    "openrouter": "https://openrouter.ai",
    "together_ai": "https://api.together.ai",
    "perplexity": "https://api.perplexity.ai",
    "fireworks_ai": "https://api.fireworks.ai",
    "cerebras": "https://api.cerebras.ai",
    "cohere": "https://api.cohere.com",
    "cohere_chat": "https://api.cohere.com",
    "ollama": "http://localhost:11434",
    "ollama_chat": "http://localhost:11434",
}


@dataclass(frozen=True, slots=True)
class Reached:
    """A server that answered with an HTTP `status`; `proxy` is the one between, or empty."""

    server: str
    status: int
    proxy: str = ""


def address_of(model: str, *, api_base: str | None, environ: Mapping[str, str]) -> str:
    """Where the model is asked; empty if that is not known without LiteLLM."""
    provider = provider_of(model)
    stem = provider.upper().replace("-", "_").removesuffix("_CHAT")
    told = provider_environment(model, environ)
    named = (told.get(f"{stem}_{name}") for name in ("API_BASE", "BASE_URL"))
    return api_base or next(filter(None, named), "") or _ADDRESSES.get(provider, "")


def reach(
    address: str, environ: Mapping[str, str], *, ca_file: Path | None, seconds: float
) -> Reached:
    """Asks the server for a page, without key, header or body of ours; any answer will do.

    Proxies are those of `environ`. It may stay silent for so many seconds. Raises `ModelError`,
    which names server and proxy by host and port alone.
    """
    server, proxy = _place(address), _proxy(address, environ)
    trust = str(ca_file or environ.get("SSL_CERT_FILE") or "") or True
    ask = partial(_status, address, proxy, trust=trust, seconds=seconds)
    try:
        status = within(2 * seconds, ask)  # looking up a name knows no bound
    except (http.RequestException, OSError, ValueError) as error:
        what, remedy = _words(error, seconds)
        through = f" through the proxy {_place(proxy)}" if proxy else ""
        raise ModelError(f"{server}{through}: {what}", remedy=remedy) from None
    if status == 407:
        raise ModelError(
            f"{server}: the proxy {_place(proxy)} wants to know who asks (407)",
            remedy="put name and password into HTTPS_PROXY",
        )
    return Reached(server, status, _place(proxy) if proxy else "")


def _status(address: str, proxy: str, *, trust: str | bool, seconds: float) -> int:
    with requests.Session() as session:
        session.trust_env = False  # `environ` counts, not the process's own
        if proxy:
            session.proxies = {urlsplit(address).scheme: proxy}
        with session.get(
            _bare(address), timeout=seconds, verify=trust, allow_redirects=False, stream=True
        ) as answer:
            return answer.status_code


def _words(error: Exception, seconds: float) -> tuple[str, str]:
    """What happened, and its remedy."""
    match error:
        case http.ProxyError():
            return "the proxy cannot be reached or refuses", "check HTTPS_PROXY and NO_PROXY"
        case http.SSLError() if "CERTIFICATE_VERIFY_FAILED" in str(error):
            return "the server's certificate is not trusted", TRUST_IT
        case http.SSLError():
            return "the server does not speak TLS", "check the address: is it http?"
        case http.Timeout():
            return f"no answer within {seconds:g} s", "check the address, the network and proxies"
        case http.ConnectionError() if _unknown_name(error):
            return "no address is known for this name", "check the address and the name servers"
        case http.RequestException():
            return "the server cannot be reached", "check the address, and whether the server runs"
        case _:
            return "no file of trusted certificates could be read", "check SSL_CERT_FILE"


def _unknown_name(error: http.ConnectionError) -> bool:
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(reason, NameResolutionError)


def _proxy(address: str, environ: Mapping[str, str]) -> str:
    """The proxy that the variables name for this address; empty if none."""
    exempt = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    if should_bypass_proxies(address, no_proxy=exempt):
        return ""
    names = (f"{urlsplit(address).scheme}_proxy", "all_proxy")
    found = (environ.get(n) or environ.get(n.upper()) for n in names)
    return next(filter(None, found), "")


def _bare(address: str) -> str:
    """Without user, password, query and fragment, any of which may be a key."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _place(address: str) -> str:
    """Host and port."""
    return urlsplit(address if "://" in address else f"//{address}").netloc.rpartition("@")[2]
