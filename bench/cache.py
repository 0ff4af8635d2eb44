"""What a provider's cache takes off five agents that read one prefix, and what it costs in time.

Run as `python -m bench.cache`; it ends with 1 if a bound is not held. Real agents, real LiteLLM
in its own process, real HTTP on loopback; the provider is a stand-in that keeps prefixes as
providers do, counts tokens by itself and bills them (`tests/standins/caching.py`).

Each row is one price model: what a token costs that is written to the cache, and one that is
read from it. `billed` is all input of a run, tasks and all, in units of the shared prefix;
`ideal` is one write and four reads; `naive` what five agents pay that know of no cache. Wall
time is held against the same run with all agents started at once.
"""

# ruff: noqa: T201 - a benchmark speaks to the one who runs it

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.adapters.llm.process import ModelProcess
from pr_review.adapters.tokens import token_counter
from pr_review.agents import catalogue, prompt
from pr_review.agents.items import SCHEMA
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import ModelCall, Pricing
from pr_review.agents.prompt import Prompts
from pr_review.agents.run import run
from pr_review.domain.finding import AgentOutcome
from pr_review.domain.ledger import Ledger
from tests.standins.caching import AUTOMATIC, MARKS, Keeping, Provider
from tests.standins.models import ModelServer

SNAPSHOT_TOKENS = 60_000
MOST_BILLED, MOST_TIME = 1.05, 1.3
CALL_SECONDS, FIRST_TOKEN_SECONDS = 4.0, 0.8
POLICY = AgentPolicy(catalogue.NAMES, run_seconds=100.0)


@dataclass(frozen=True)
class PriceModel:
    """Prices in units of an ordinary token, and a model whose provider asks them."""

    write: float
    read: float
    keeping: Keeping
    model: str

    def at(
        self, server: ModelServer, process: ModelProcess, kind: type[ChildModel] = ChildModel
    ) -> ChildModel:
        """The model behind a server."""
        base = server.base if self.keeping is MARKS else server.url
        return kind(ModelSettings(self.model, "sk-bench", base), {}, process=process)


PRICE_MODELS = (
    PriceModel(1.25, 0.1, MARKS, "anthropic/claude-sonnet-4-5"),
    PriceModel(1.0, 0.1, AUTOMATIC, "openai/gpt-5"),
    PriceModel(1.0, 0.5, AUTOMATIC, "openai/gpt-4o"),
)


@dataclass(frozen=True)
class Result:
    """One run: what was billed and what the ideal is, in ordinary tokens; seconds."""

    billed: float
    ideal: float
    naive: float
    cached: int
    seconds: float
    outcomes: tuple[AgentOutcome, ...]


class Uncached(ChildModel):
    """The same model, taken for one whose provider keeps no prefix: all agents start at once."""

    @property
    def least_cached_tokens(self) -> None:
        return None


def prompts(snapshot_tokens: int = SNAPSHOT_TOKENS) -> Prompts:
    """What five agents send about a made-up change of so many tokens."""
    text, count = "", token_counter().count
    while (missing := snapshot_tokens - count(text)) > 0:
        numbers = range(len(text), len(text) + missing // 30 + 1)
        text += "".join(f"{n} +    total_{n} = price({n}) + tax({n}, rate)\n" for n in numbers)
    agents = catalogue.catalogue()
    return prompt.assemble(POLICY, agents, "No brief.", text, Ledger(()))


def measure(
    prices: PriceModel,
    sent: Prompts,
    process: ModelProcess,
    *,
    kind: type[ChildModel] = ChildModel,
    seconds: float = CALL_SECONDS,
    first_token: float = FIRST_TOKEN_SECONDS,
) -> Result:
    """One run of all agents against a provider whose cache is empty."""
    provider = Provider(prices.keeping, prices.write, prices.read, seconds, first_token)
    with ModelServer(provider.reply) as server:
        model = prices.at(server, process, kind)
        start = time.monotonic()
        outcomes = run(catalogue.catalogue(), sent, model, Pricing(), POLICY)
        took = time.monotonic() - start
    shared = token_counter().count(sent.system) + token_counter().count(sent.prefix)
    return Result(
        provider.billed,
        ideal=shared * (prices.write + 4 * prices.read),
        naive=sum(bill.input for bill in provider.bills),
        cached=sum(bill.cached for bill in provider.bills),
        seconds=took,
        outcomes=outcomes,
    )


def warm(prices: PriceModel, process: ModelProcess) -> None:
    """Waits until LiteLLM has loaded what it needs for a model: that is not measured here."""
    call = ModelCall("", "", "hello", SCHEMA, 9, shared=True)
    with ModelServer(Provider(prices.keeping, prices.write, prices.read).reply) as server:
        prices.at(server, process).complete(call, seconds=100, started=lambda: None)


def main() -> int:
    """Prints the table; 1 if a run was billed or took more than it may."""
    process, held = ModelProcess(os.environ), True
    sent = prompts()
    print(f"{'model':<30} {'write':>5} {'read':>5} {'billed':>8} {'ideal':>8} {'naive':>8}", end="")
    print(f" {'/ideal':>7} {'s':>6} {'at once':>8} {'ratio':>6}")
    try:
        for prices in PRICE_MODELS:
            warm(prices, process)
            led = measure(prices, sent, process)
            at_once = measure(prices, sent, process, kind=Uncached)
            failed = [o.failure for o in (*led.outcomes, *at_once.outcomes) if o.failure]
            told = sum(outcome.cached_tokens for outcome in led.outcomes)
            share, ratio = led.billed / led.ideal, led.seconds / at_once.seconds
            held &= (
                not failed and share <= MOST_BILLED and ratio <= MOST_TIME and told == led.cached
            )
            print(
                f"{prices.model:<30} {prices.write:>5} {prices.read:>5} {led.billed:>8,.0f} "
                f"{led.ideal:>8,.0f} {led.naive:>8,.0f} {share:>7.3f} {led.seconds:>6.2f} "
                f"{at_once.seconds:>8.2f} {ratio:>6.2f} {' '.join(failed)}"
            )
    finally:
        process.kill()
    print(f"billed at most {MOST_BILLED} times the ideal, {MOST_TIME} times the time: {held}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
