"""The longest output gap of each key group over time."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import LogNorm

from drrs_jobs.measure import GAP_BUCKET_MS
from drrs_jobs.report.document import Chart
from drrs_jobs.report.plots.style import drawing
from drrs_jobs.runs import Run

_LOWEST_MS = 10.0


def gap_map(run: Run, of: str = "") -> Chart:
    """A cell for each key group and quarter of a second: the darker, the longer one of its keys waited."""
    rows = run.measurement.key_group_gaps
    zero = run.figures.requested_at
    first = min(row["bucket"] for row in rows)
    last = max(row["bucket"] for row in rows)
    groups = max(row["key_group"] for row in rows) + 1
    cells = np.full((groups, (last - first) // GAP_BUCKET_MS + 1), np.nan)
    for row in rows:
        cells[row["key_group"], (row["bucket"] - first) // GAP_BUCKET_MS] = max(row["gap_ms"], _LOWEST_MS)
    highest = max(float(np.nanmax(cells)), 10 * _LOWEST_MS)
    begin, end = ((at - zero) / 1_000 for at in (first, last + GAP_BUCKET_MS))
    with drawing(f"gaps {of} {run.name}", 3.6) as drawn:
        axes = drawn.figure.add_subplot()
        image = axes.imshow(
            cells, aspect="auto", origin="lower", interpolation="nearest", cmap="gray_r",
            norm=LogNorm(_LOWEST_MS, highest), extent=(begin, end, -0.5, groups - 0.5),
        )  # fmt: skip
        axes.axvline(0, color="black", linestyle=":", linewidth=1)
        axes.set_xlabel("time since the request [s]")
        axes.set_ylabel("key group")
        bar = drawn.figure.colorbar(image, ax=axes, format=lambda value, _: f"{value:g}")
        bar.set_label("longest gap of one of its keys [ms]")
        return drawn.chart(
            f"Output gaps per key group, {run.name}",
            f"{run.name}: a cell is a key group in {GAP_BUCKET_MS} ms, its shade the longest gap that touches it; "
            "white: no output was due.",
        )
