"""What was measured of each strategy, with the range over all rounds."""

from __future__ import annotations

from collections.abc import Sequence

from drrs_jobs.quantities import TIMES, Quantity
from drrs_jobs.report.document import Chart
from drrs_jobs.report.plots.style import drawing, look, milliseconds_axis
from drrs_jobs.report.words import short
from drrs_jobs.rounds import Round, Spread, spread, values

_GROUP = 0.8
_ROOM = 6.0
_HEIGHT_OF_BAR_IN = 0.24


def bars(rounds: Sequence[Round], of: str = "") -> Chart:
    """A bar for the median of each quantity, with a whisker from its lowest to its highest value."""
    names = [run.name for run in rounds[0].runs]
    height = _GROUP / len(names)
    with drawing(f"bars {of}", 1.2 + _HEIGHT_OF_BAR_IN * len(names) * len(TIMES)) as drawn:
        axes = drawn.figure.add_subplot()
        longest = 1.0
        for place, name in enumerate(names):
            looks = look(place)
            for row, quantity in enumerate(TIMES):
                found = spread(values(rounds, place, quantity))
                at = row + (place - (len(names) - 1) / 2) * height
                middle = max(found.median, 1.0) if found else 1.0
                axes.barh(
                    at, middle if found else 0, height * 0.9, color=looks.colour if place == 0 else "white",
                    edgecolor=looks.colour, hatch=looks.hatch, label=name if row == 0 else "_",
                )  # fmt: skip
                if found and found.known > 1:
                    low = max(found.low, 1.0)
                    axes.errorbar(
                        middle, at, xerr=[[max(middle - low, 0.0)], [max(found.high - middle, 0.0)]], color="black",
                        capsize=2, lw=1,
                    )  # fmt: skip
                top = max(found.high if found else 1.0, 1.0)
                longest = max(longest, top)
                axes.annotate(
                    _label(quantity, found, len(rounds)), (top, at), xytext=(6, 0), textcoords="offset points",
                    va="center", fontsize=8,
                )  # fmt: skip
        milliseconds_axis(axes, "x")
        axes.set_xlim(1.0, longest * _ROOM)
        axes.set_yticks(range(len(TIMES)), [quantity.name for quantity in TIMES])
        axes.invert_yaxis()
        axes.grid(visible=True, axis="x")
        axes.set_xlabel("duration [ms, s]")
        drawn.figure.legend(loc="outside lower center", ncols=min(len(names), 4))
        one = len(rounds) == 1
        what = "one round, so without a range" if one else f"median of {len(rounds)} rounds, lowest to highest"
        return drawn.chart("What was measured of each strategy", f"Shorter is better; {what}.")


def _label(quantity: Quantity, found: Spread | None, of: int) -> str:
    if found is None:
        return quantity.absent
    middle, absent = short(found.median), f", {of - found.known} {quantity.absent}" if found.known < of else ""
    return middle + absent if found.known == 1 else f"{middle} ({short(found.low)} .. {short(found.high)}{absent})"
