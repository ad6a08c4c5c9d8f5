"""What is known of a demo's run after it was measured: the common ground of summary and report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from drrs_jobs.compare import EXACT
from drrs_jobs.flink import Checkpoints
from drrs_jobs.measure import Figures, Measurement


@dataclass(frozen=True, slots=True)
class Mark:
    """A named period of a run, epoch milliseconds."""

    label: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    """One measured run; ``status`` is the rescale's status document (None for a restart), ``cpu`` a share 0..1."""

    name: str
    title: str
    oracle: str
    measurement: Measurement
    marks: Sequence[Mark]
    state_bytes: int
    cpu: float
    busy_before: Sequence[float] = ()
    busy_after: Sequence[float] = ()
    notes: Sequence[str] = ()
    checkpoints: Checkpoints | None = None
    status: Mapping[str, Any] | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def figures(self) -> Figures:
        """The figures of the run's one rescale."""
        (figures,) = self.measurement.figures
        return figures

    @property
    def duration_ms(self) -> int | None:
        """From the request until the operation has ended and latency is re-stable; None if either never came."""
        figures = self.figures
        if figures.operation_ms is None or figures.re_stable_ms is None:
            return None
        return max(figures.operation_ms, figures.re_stable_ms)


def summary(plugin: Run, restart: Run, events: int) -> dict[str, Any]:
    """Return the document ``summary.json``: times in milliseconds, null for a moment that never came."""
    status = plugin.status or {}
    checkpoints = plugin.checkpoints or Checkpoints(0, 0, 0)
    return {
        "oracle": oracle((plugin, restart)),
        "events": events,
        "state_bytes": plugin.state_bytes,
        "plugin": {
            "peak_ms": plugin.figures.peak_ms,
            "avg_ms": plugin.figures.avg_ms,
            "steady_p99_ms": plugin.figures.steady_p99_ms,
            "duration_ms": plugin.duration_ms,
            "longest_gap_ms": plugin.figures.longest_gap_ms,
            "moved_key_groups": status.get("key_groups", {}).get("moved"),
            "min_key_groups": status.get("min_key_groups"),
            "checkpoints_ok": checkpoints.completed,
            "checkpoints_failed": checkpoints.failed,
        },
        "restart": {
            "peak_ms": restart.figures.peak_ms,
            "avg_ms": restart.figures.avg_ms,
            "duration_ms": restart.duration_ms,
            "longest_gap_ms": restart.figures.longest_gap_ms,
        },
    }


def oracle(runs: Sequence[Run]) -> str:
    """Return ``exact``, or the differences of the runs that are not."""
    differences = [f"{run.name}: {run.oracle}" for run in runs if run.oracle != EXACT]
    return "; ".join(differences) or EXACT
