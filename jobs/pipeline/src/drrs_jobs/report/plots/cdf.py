"""How large a part of the outputs had at most which latency."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from drrs_jobs.report.document import Chart
from drrs_jobs.report.plots.style import drawing, look_of, milliseconds_axis
from drrs_jobs.runs import Run


def cdf(runs: Sequence[Run], of: str = "") -> Chart:
    """One line a run; those of one strategy look the same."""
    with drawing(f"cdf {of}", 3.6) as drawn:
        axes = drawn.figure.add_subplot()
        named = set()
        for run in runs:
            if not run.measurement.distributions:
                continue
            look = look_of(run)
            latencies, shares = curve(run)
            label = "_" if run.name in named else run.name
            named.add(run.name)
            axes.plot(latencies, shares, color=look.colour, linestyle=look.dashes, drawstyle="steps-post", label=label)
        milliseconds_axis(axes, "x")
        axes.set_ylim(0, 102)
        axes.grid(visible=True)
        axes.set_xlabel("latency [ms, s]")
        axes.set_ylabel("outputs with at most that [%]")
        drawn.figure.legend(loc="outside lower center", ncols=4)
        return drawn.chart(
            "Distribution of latencies", "Outputs from the request until steady again, a line for each run."
        )


def curve(run: Run) -> tuple[list[float], list[float]]:
    """Return latencies (at least 1 ms, for the axis) and the percentage of outputs that had at most each."""
    rows = pd.DataFrame(list(run.measurement.distributions[0]), columns=["up_to_ms", "records"]).sort_values("up_to_ms")
    shares = rows["records"].cumsum() / rows["records"].sum() * 100
    return [max(float(value), 1.0) for value in rows["up_to_ms"]], [float(share) for share in shares]
