"""The quote of a run: what it may cost at most, told before any call."""

from __future__ import annotations

from dataclasses import dataclass

from pr_review.domain.money import dollars

VERIFY = "verify"
"""What the verify pass is called beside the agents."""


def _at_most(usd: float | None) -> str:
    return "price unknown" if usd is None else f"at most {dollars(usd)}"


@dataclass(frozen=True, slots=True)
class AgentQuote:
    """The upper bound of one agent: its requests, their tokens, US dollars (None: unknown)."""

    name: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None

    @property
    def words(self) -> str:
        return (
            f"{_at_most(self.usd)}: up to {self.calls} requests, "
            f"{self.input_tokens:,} tokens in, {self.output_tokens:,} out"
        )


@dataclass(frozen=True, slots=True)
class Quote:
    """The upper bound of what a run may cost, before any call.

    `usd` is None when a price is unknown: unknown is not free. `calls` counts every request
    that may be made, repairs and repetitions included; the tokens and `usd` are those of all of
    them. Tokens are the model's own, estimated as `factor` times o200k; `output_cap` is sent with
    each request and holds for reasoning and answer together.

    Beside the bound stand `once_usd`, what one request for each agent costs at most, and two
    estimates: `cache_usd`, what the provider's cache may take off that (None: not known), and the
    `seconds` that the agents are expected to take of their `deadline`. `fallbacks` are models
    that may be asked in place of `model`: the bound holds whichever answers. A request is repeated
    `retries` times at most, and with `repair` an agent is asked once more for what can be read.
    All of it is for as many `passes` as the change is read in, one after the other. The verify
    pass is the last of the `agents`; the seconds do not count it.
    """

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    agents: tuple[AgentQuote, ...] = ()
    once_usd: float | None = None
    cache_usd: float | None = None
    seconds: float = 0.0
    deadline: float = 0.0
    factor: float = 1.0
    output_cap: int = 0
    fallbacks: tuple[str, ...] = ()
    retries: int = 0
    repair: bool = False
    passes: int = 1

    @property
    def words(self) -> str:
        """One line: the bound first, then what it is made of, then what is to be expected."""
        times = "" if self.factor == 1.0 else f" ({self.factor:g} times what o200k counts)"
        verify = ", verify: 1" if self.of(VERIFY) else ""
        less = "up to " if verify else ""
        each = f" ({less}{self.output_cap:,} each, reasoning included)"
        cap = each if self.output_cap else ""
        bound = (
            f"{_at_most(self.usd)}: up to {self.calls} requests{self._passes} to {self._models} "
            f"(repeats: {self.retries}, repairs: {self.repair:d}{verify}), "
            f"{self.input_tokens:,} tokens in{times}, {self.output_tokens:,} out{cap}"
        )
        return "; ".join(part for part in (bound, self._once, self._time) if part)

    @property
    def _models(self) -> str:
        return " or, in its place, ".join(filter(None, (self.model, ", ".join(self.fallbacks))))

    @property
    def _passes(self) -> str:
        return f" in {self.passes} passes" if self.passes > 1 else ""

    def of(self, agent: str) -> AgentQuote | None:
        """The part of one agent."""
        return next((part for part in self.agents if part.name == agent), None)

    @property
    def _once(self) -> str:
        if self.once_usd is None or not (self.retries or self.repair):
            return ""
        once = f"without repeats and repairs at most {dollars(self.once_usd)}"
        if not self.cache_usd:
            return once
        return f"{once}, of which a cache may take off {dollars(self.cache_usd)}"

    @property
    def _time(self) -> str:
        if not self.seconds:
            return ""
        late = f", more than run-deadline ({self.deadline:g} s{self._passes})"
        return f"about {self.seconds:.0f} s{late if self.seconds > self.deadline else ''}"
