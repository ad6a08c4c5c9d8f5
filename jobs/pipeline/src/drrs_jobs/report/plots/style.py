"""How all drawings look, and how one becomes an SVG element of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from drrs_jobs.report.document import Chart
from drrs_jobs.runs import Run

# Verdana has the widths of DejaVu Sans, by which matplotlib lays out; so labels fit where the latter is missing.
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "0.87",
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
}
_WIDTH_IN = 10.0
Dashes = str | tuple[float, tuple[float, ...]]
_HEAD = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
# Names like figure_1 are in each drawing; nothing refers to them.
_NAMES = re.compile(r' id="[A-Za-z0-9.]+_\d+"')
_SIZE = re.compile(r' (?:width|height)="[\d.]+pt"')


@dataclass(frozen=True, slots=True)
class Look:
    """How one of the compared ways of rescaling is drawn: told apart by dashes and hatches, not only by colour."""

    colour: str
    dashes: Dashes
    hatch: str


_LOOKS = (
    Look("#00605b", "-", ""),
    Look("#c2541b", (0, (4, 2)), "////"),
    Look("#3b3b98", (0, (1, 1.5)), "...."),
    Look("#8a6d00", (0, (6, 2, 1, 2)), "xxxx"),
    Look("#a3195b", (0, (8, 3)), "----"),
    Look("#4a4a4a", (0, (3, 1, 1, 1, 1, 1)), "++++"),
    Look("#1b76c2", (0, (2, 3)), "\\\\\\\\"),
    Look("#6b8e23", (0, (10, 2, 2, 2)), "oo"),
)


def look(place: int) -> Look:
    """Return how the strategy at a place is drawn, the same in all drawings; after eight they come again."""
    return _LOOKS[place % len(_LOOKS)]


def look_of(run: Run) -> Look:
    """Return how a run is drawn."""
    return look(run.place)


def milliseconds_axis(axes: Axes, which: str = "y") -> None:
    """Make an axis of durations logarithmic, with marks in ms and s."""
    axis = axes.yaxis if which == "y" else axes.xaxis
    (axes.set_yscale if which == "y" else axes.set_xscale)("log")
    axis.set_major_formatter(lambda value, _: f"{value:g} ms" if value < 1_000 else f"{value / 1_000:g} s")
    axis.set_minor_formatter(NullFormatter())


class Drawing:
    """A figure under way; ``chart`` is the element that became of it."""

    def __init__(self, height_in: float) -> None:
        self.figure = Figure(figsize=(_WIDTH_IN, height_in), layout="constrained")

    def chart(self, title: str, caption: str) -> Chart:
        """Return the drawing for a page; ``title`` is for readers who cannot see it."""
        stream = StringIO()
        self.figure.savefig(stream, format="svg", metadata={"Date": None})
        svg = _METADATA.sub("", _HEAD.sub("", stream.getvalue()))
        head, rest = svg.split(">", 1)
        head = _SIZE.sub("", head) + f' role="img" aria-label="{escape(title)}"'
        return Chart(f"{head}>{_NAMES.sub('', rest)}".strip(), caption)


@contextmanager
def drawing(name: str, height_in: float) -> Iterator[Drawing]:
    """Yield a figure of that height in inches; ``name`` keeps the names within it apart from other drawings'."""
    with mpl.rc_context({**_SETTINGS, "svg.hashsalt": name}):
        yield Drawing(height_in)
