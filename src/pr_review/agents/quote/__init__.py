"""What a run may cost at most, told before any call, and whether it may start."""

from pr_review.agents.quote.admission import (
    FASTEST_READ_PER_SECOND,
    Account,
    Offer,
    admit,
    affordable,
    no_price,
    offer,
    overrun,
)
from pr_review.agents.quote.bound import (
    ANSWER_TOKENS,
    READ_PER_SECOND,
    START_SECONDS,
    WRITE_PER_SECOND,
    quote,
)
from pr_review.agents.quote.limits import (
    DEFAULT_OUTPUT_TOKENS,
    MOST_OUTPUT_TOKENS,
    MOST_VERIFY_OUTPUT_TOKENS,
    MOST_VERIFY_TOKENS,
    family_factor,
    output_cap,
    prompt_limit,
    verify_limit,
    verify_output_cap,
)
from pr_review.agents.quote.prices import cost, dearest
from pr_review.agents.quote.sizes import Count, Sizes, framed, measure, measure_all, room

__all__ = [
    "ANSWER_TOKENS",
    "DEFAULT_OUTPUT_TOKENS",
    "FASTEST_READ_PER_SECOND",
    "MOST_OUTPUT_TOKENS",
    "MOST_VERIFY_OUTPUT_TOKENS",
    "MOST_VERIFY_TOKENS",
    "READ_PER_SECOND",
    "START_SECONDS",
    "WRITE_PER_SECOND",
    "Account",
    "Count",
    "Offer",
    "Sizes",
    "admit",
    "affordable",
    "cost",
    "dearest",
    "family_factor",
    "framed",
    "measure",
    "measure_all",
    "no_price",
    "offer",
    "output_cap",
    "overrun",
    "prompt_limit",
    "quote",
    "room",
    "verify_limit",
    "verify_output_cap",
]
