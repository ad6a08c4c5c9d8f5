"""Latency over time, of all runs and of the time of one rescale with its phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.axes import Axes

from drrs_jobs.aggregates.over_time import BUCKET_MS
from drrs_jobs.report.document import Chart
from drrs_jobs.report.plots.style import Look, drawing, look_of, milliseconds_axis
from drrs_jobs.report.words import short
from drrs_jobs.runs import Run

OVERVIEW = "overview"
_BEFORE_S = 15.0
_FLOOR_MS = 1.0
_ROW_IN = 1.7
_GREYS = ("0.85", "0.93")
_PHASE_HATCHES = ("", "....", "////", "\\\\\\\\", "xx", "--", "||", "++")
_CAPTION = (
    f"Thick: highest latency per {BUCKET_MS} ms, or how long the oldest record that is due has waited; thin: median. "
)


def overview(runs: Sequence[Run], of: str = "") -> Chart:
    """The whole of the runs, one above the other on the same axes, with a band for each rescale."""
    last = max(run.measurement.buckets[-1]["bucket"] - run.figures.requested_at for run in runs) / 1_000
    with drawing(f"overview {of}", 0.6 + _ROW_IN * len(runs)) as drawn:
        rows = drawn.figure.subplots(len(runs), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        for run, axes in zip(runs, rows, strict=True):
            look = look_of(run)
            if run.marks:
                begin, end = _seconds(run, run.marks[0].begin), _seconds(run, run.marks[-1].end)
                axes.axvspan(
                    begin, max(end, begin + 0.02), facecolor="0.85", hatch="....", edgecolor="0.45", linewidth=0
                )  # fmt: skip
            _lines(axes, run, look)
            _finish(axes, (-_BEFORE_S, max(last, 1.0)))
            axes.set_title(run.name, loc="left", fontsize=9)
            axes.label_outer()
        # The first of shared axes would else fix the height that the others need.
        rows[0].set_ylim(_FLOOR_MS, 1.5 * max(_highest(run) for run in runs))
        chart = drawn.chart(
            "Latency of the runs over time", _CAPTION + "Shaded: from the request to the operation's end."
        )
        return replace(chart, name=OVERVIEW)


def _highest(run: Run) -> float:
    return max(_FLOOR_MS, *(float(bucket["worst_ms"]) for bucket in run.measurement.buckets))


def close_up(run: Run, of: str = "") -> Chart:
    """The time of one rescale, with its phases."""
    look = look_of(run)
    length = max(_seconds(run, run.marks[-1].end), 1.0)
    with drawing(f"close-up {of} {run.name}", 3.6) as drawn:
        axes = drawn.figure.add_subplot()
        for number, mark in enumerate(run.marks):
            axes.axvspan(
                _seconds(run, mark.begin), _seconds(run, mark.end), facecolor=_GREYS[number % 2], linewidth=0,
                hatch=_PHASE_HATCHES[number % len(_PHASE_HATCHES)], edgecolor="0.45",
                label=f"{mark.label}, {short(mark.end - mark.begin)}",
            )  # fmt: skip
        _lines(axes, run, look)
        _finish(axes, (-max(0.5, length / 4), length * 1.5))
        drawn.figure.legend(loc="outside lower center", ncols=3)
        return drawn.chart(f"Latency with {run.name}", f"{run.name}. {_CAPTION}Shaded: phases, with their lengths.")


def _lines(axes: Axes, run: Run, look: Look) -> None:
    at = [_seconds(run, bucket["bucket"] + BUCKET_MS / 2) for bucket in run.measurement.buckets]
    for name, of, width in (("highest", "worst_ms", 1.8), ("median", "p50_ms", 0.8)):
        values = [bucket[of] for bucket in run.measurement.buckets]
        # What has no output has no median: the line breaks there. A logarithm has no zero.
        shown = [float("nan") if value is None else max(float(value), _FLOOR_MS) for value in values]
        axes.plot(at, shown, color=look.colour, linestyle=look.dashes, linewidth=width, label=f"{run.name}: {name}")


def _finish(axes: Axes, x_range: tuple[float, float]) -> None:
    axes.set_xlim(*x_range)
    axes.grid(visible=True, axis="y")
    milliseconds_axis(axes)
    axes.set_ylim(bottom=_FLOOR_MS)
    axes.set_xlabel("time since the request [s]")
    axes.set_ylabel("latency [ms, s]")


def _seconds(run: Run, at: float) -> float:
    return (at - run.figures.requested_at) / 1_000
