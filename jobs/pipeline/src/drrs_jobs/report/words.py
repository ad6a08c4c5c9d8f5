"""Figures in words, the same in tables, drawings and sentences."""

from __future__ import annotations


def milliseconds(value: float | None) -> str:
    """A duration, or that its end never came."""
    if value is None:
        return "never"
    return f"{value:,.1f} ms" if isinstance(value, float) and value < 100 else f"{value:,.0f} ms"


def short(ms: float) -> str:
    """A duration for a label: ms below a second, else seconds."""
    return f"{ms:,.0f} ms" if ms < 1_000 else f"{ms / 1_000:,.3g} s"
