"""Figures in words, the same in tables, drawings and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from drrs_jobs.quantities import Quantity
from drrs_jobs.rounds import Spread


def milliseconds(value: float | None) -> str:
    """A duration, or that its end never came."""
    if value is None:
        return "never"
    return f"{value:,.1f} ms" if isinstance(value, float) and value < 100 else f"{value:,.0f} ms"


def short(ms: float) -> str:
    """A duration for a label: ms below a second, else seconds."""
    return f"{ms:,.0f} ms" if ms < 1_000 else f"{ms / 1_000:,.3g} s"


def spread_of(quantity: Quantity, found: Spread | None, of: int) -> str:
    """Median and range of a quantity; in how many of the runs it is not known."""
    if found is None:
        return quantity.absent
    middle = quantity.shown(found.median)
    unknown = f", {of - found.known} {quantity.absent}" if found.known < of else ""
    if found.known == 1:
        return middle + unknown
    return f"{middle} ({quantity.shown(found.low)} .. {quantity.shown(found.high)}){unknown}"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
