"""A small SVG line chart with a logarithmic value axis, so that a report needs no plotting library and no script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 52, 40


@dataclass(frozen=True, slots=True)
class Line:
    """A series of (x, value) points in order of x; None breaks the line. ``style`` is a CSS class of the report."""

    label: str
    style: str
    points: Sequence[tuple[float, float | None]]


@dataclass(frozen=True, slots=True)
class Band:
    """A marked period of x with a label above the plot; ``row`` 0 to 2 keeps labels of short periods apart."""

    label: str
    style: str
    begin: float
    end: float
    row: int = 0


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over seconds; values below ``floor`` are drawn at it, since a logarithm has no zero."""

    lines: Sequence[Line]
    bands: Sequence[Band] = field(default_factory=tuple)
    x_range: tuple[float, float] = (0.0, 1.0)
    floor: float = 1.0
    width: int = 960
    height: int = 420
    title: str = ""

    def render(self) -> str:
        """Return the chart as one SVG element."""
        values = [value for line in self.lines for _, value in line.points if value is not None]
        decades = max(1, math.ceil(math.log10(max([*values, 10 * self.floor]) / self.floor)))
        scale = _Scale(self, decades)
        parts = [
            f'<svg class="chart" viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{escape(self.title)}">'
        ]
        parts += [_band(scale, band) for band in self.bands]
        parts += _value_axis(scale)
        parts += _time_axis(scale)
        parts += [_line(scale, line) for line in self.lines]
        return "\n".join([*parts, "</svg>"])


@dataclass(frozen=True, slots=True)
class _Scale:
    chart: Chart
    decades: int

    @property
    def right(self) -> int:
        return self.chart.width - _RIGHT

    @property
    def bottom(self) -> int:
        return self.chart.height - _BOTTOM

    def x(self, value: float) -> float:
        low, high = self.chart.x_range
        clipped = min(max(value, low), high)
        return round(_LEFT + (clipped - low) / (high - low) * (self.right - _LEFT), 1)

    def y(self, value: float) -> float:
        share = math.log10(max(value, self.chart.floor) / self.chart.floor) / self.decades
        return round(self.bottom - share * (self.bottom - _TOP), 1)


def _band(scale: _Scale, band: Band) -> str:
    left, right = scale.x(band.begin), scale.x(band.end)
    label_y = 14 + 14 * band.row
    tip = f"{band.label}: {band.begin:.2f} s to {band.end:.2f} s"
    return (
        f'<g class="band {band.style}"><title>{escape(tip)}</title>'
        f'<rect x="{left}" y="{_TOP}" width="{max(right - left, 1.0):.1f}" height="{scale.bottom - _TOP}"/>'
        f'<line x1="{left}" x2="{left}" y1="{label_y + 3}" y2="{scale.bottom}"/>'
        f'<text x="{left + 3}" y="{label_y}">{escape(band.label)}</text></g>'
    )


def _value_axis(scale: _Scale) -> list[str]:
    parts = []
    for decade in range(scale.decades + 1):
        value = scale.chart.floor * 10**decade
        y = scale.y(value)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{scale.right}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="tick" x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{_duration(value)}</text>')
    return parts


def _time_axis(scale: _Scale) -> list[str]:
    low, high = scale.chart.x_range
    step = next(step for step in (1, 2, 5, 10, 20, 60, 300, 1800, 86_400) if (high - low) / step <= 14)
    parts = []
    for tick in range(math.ceil(low / step) * step, math.floor(high) + 1, step):
        x = scale.x(tick)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{scale.bottom}" y2="{scale.bottom + 4}"/>')
        parts.append(f'<text class="tick" x="{x}" y="{scale.bottom + 18}" text-anchor="middle">{tick} s</text>')
    middle = (_LEFT + scale.right) / 2
    parts.append(
        f'<text class="tick" x="{middle}" y="{scale.bottom + 34}" text-anchor="middle">time since the request</text>'
    )
    return parts


def _line(scale: _Scale, line: Line) -> str:
    low, high = scale.chart.x_range
    path, pen_down = [], False
    for x, value in line.points:
        if value is None or not low <= x <= high:
            pen_down = False
            continue
        path.append(f"{'L' if pen_down else 'M'}{scale.x(x)} {scale.y(value)}")
        pen_down = True
    return f'<path class="line {line.style}" d="{"".join(path)}"><title>{escape(line.label)}</title></path>'


def _duration(value: float) -> str:
    return f"{value:g} ms" if value < 1_000 else f"{value / 1_000:g} s"
