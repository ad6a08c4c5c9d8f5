"""Processor and memory use of the runs over time."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from drrs_jobs.report.document import Chart
from drrs_jobs.report.plots.style import drawing, look_of
from drrs_jobs.runs import Run
from drrs_jobs.sampler import CPU, MACHINE, RESIDENT


def used(runs: Sequence[Run], of: str = "") -> Chart | None:
    """The machine's processors, and the memory of all processes of the cluster; None if nothing was recorded."""
    recorded = [run for run in runs if run.measurement.resources]
    if not recorded:
        return None
    with drawing(f"resources {of}", 3.6) as drawn:
        upper, lower = drawn.figure.subplots(2, 1, sharex=True)
        for run in recorded:
            look = look_of(run)
            rows = pd.DataFrame(list(run.measurement.resources))
            rows["second"] = (rows["bucket"] - run.figures.requested_at) / 1_000
            busy = rows[(rows["name"] == CPU) & (rows["of"] == MACHINE)]
            resident = rows[rows["name"] == RESIDENT].groupby("second", as_index=False)["mean"].sum()
            for axes, rows_of, unit in ((upper, busy, 0.01), (lower, resident, 1e6)):
                axes.plot(
                    rows_of["second"], rows_of["mean"] / unit, color=look.colour, linestyle=look.dashes,
                    label=run.name if axes is upper else "_",
                )  # fmt: skip
        _finish(upper, "processors busy [%]")
        upper.set_ylim(0, 102)
        _finish(lower, "memory [MB]")
        lower.set_xlabel("time since the request [s]")
        drawn.figure.align_ylabels()
        drawn.figure.legend(loc="outside lower center", ncols=4)
        return drawn.chart(
            "Processors and memory over time",
            "Above: all processors of the machine, with all that ran on it. Below: resident memory of the cluster's "
            "processes together.",
        )


def _finish(axes: Axes, label: str) -> None:
    axes.axvline(0, color="black", linestyle=":", linewidth=1)
    axes.set_ylim(bottom=0)
    axes.grid(visible=True, axis="y")
    axes.set_ylabel(label)
