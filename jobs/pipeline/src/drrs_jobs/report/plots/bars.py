"""What was measured of both ways of rescaling, with the range over all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from drrs_jobs.pairs import QUANTITIES, Pair, Quantity
from drrs_jobs.report.document import Chart
from drrs_jobs.report.plots.style import LOOKS, drawing, milliseconds_axis
from drrs_jobs.report.words import short

_HEIGHT = 0.38
_ROOM = 6.0


def bars(pairs: Sequence[Pair]) -> Chart:
    """A bar for the median of each quantity, with a whisker from its lowest to its highest value."""
    with drawing("bars", 3.4) as drawn:
        axes = drawn.figure.add_subplot()
        longest = 1.0
        for side, look in enumerate(LOOKS):
            title = pairs[0].runs[side].title
            for row, quantity in enumerate(QUANTITIES):
                values = _values(pairs, side, quantity)
                at = row + (side - 0.5) * _HEIGHT
                label = title if row == 0 else "_"
                middle = max(median(values), 1.0) if values else 1.0
                axes.barh(
                    at, middle if values else 0, _HEIGHT * 0.9, color=look.colour if side == 0 else "white",
                    edgecolor=look.colour, hatch=look.hatch, label=label,
                )  # fmt: skip
                if len(values) > 1:
                    low, high = max(min(values), 1.0), max(values)
                    axes.errorbar(
                        middle, at, xerr=[[middle - low], [max(high - middle, 0.0)]], color="black", capsize=3, lw=1
                    )
                top = max([*values, 1.0])
                longest = max(longest, top)
                axes.annotate(
                    _label(values, len(pairs)), (top, at), xytext=(6, 0), textcoords="offset points", va="center",
                    fontsize=8,
                )  # fmt: skip
        milliseconds_axis(axes, "x")
        axes.set_xlim(1.0, longest * _ROOM)
        axes.set_yticks(range(len(QUANTITIES)), [quantity.name for quantity in QUANTITIES])
        axes.invert_yaxis()
        axes.grid(visible=True, axis="x")
        axes.set_xlabel("duration [ms, s]")
        drawn.figure.legend(loc="outside lower center", ncols=2)
        what = "one pair, so without a range" if len(pairs) == 1 else f"median of {len(pairs)} pairs, lowest to highest"
        return drawn.chart("What was measured, of both ways", f"Shorter is better; {what}.")


def _values(pairs: Sequence[Pair], side: int, quantity: Quantity) -> list[float]:
    found = (quantity.of(pair.runs[side]) for pair in pairs)
    return [float(value) for value in found if value is not None]


def _label(values: Sequence[float], of: int) -> str:
    if not values:
        return "never"
    middle, never = short(median(values)), f", {of - len(values)} never" if len(values) < of else ""
    return middle + never if len(values) == 1 else f"{middle} ({short(min(values))} .. {short(max(values))}{never})"
