"""Amounts of US dollars, of which some are not known: unknown is not free."""

from __future__ import annotations

from collections.abc import Iterable


def total(parts: Iterable[float | None]) -> float | None:
    """The sum; None if a part of it is not known. Nothing costs 0."""
    known: list[float] = []
    for part in parts:
        if part is None:
            return None
        known.append(part)
    return sum(known)


def dollars(usd: float) -> str:
    """An amount of US dollars: four places, or more where these would make it look free."""
    return f"${usd:.4f}" if usd >= 0.0001 or not usd else f"${usd:.7f}"


def billed(usd: float | None, quoted: float | None = None) -> str:
    """`$0.0042; at most $0.0500 was quoted`; what is not known is `unknown`, or not said."""
    cost = "unknown" if usd is None else dollars(usd)
    return cost if quoted is None else f"{cost}; at most {dollars(quoted)} was quoted"
