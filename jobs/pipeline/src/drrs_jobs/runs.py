"""What is known of a run's rescale after it was measured: the common ground of tables, drawings and summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from drrs_jobs.checkpoints import Checkpoints
from drrs_jobs.compare import EXACT
from drrs_jobs.figures import Figures, Measurement
from drrs_jobs.machine import CpuUse
from drrs_jobs.ownership import Ownership

MOST_BY_OTHERS = 0.1
"""Share of the processors that other programs may take during a measurement, unless the bench says otherwise."""

MOST_UNKNOWN = 0.6
"""The same of all programs together, where the run's own cannot be told apart."""

FULL = 0.75
"""From this share of the processors on, in the steady period, a workload is said to fill the machine."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A named period of a run, epoch milliseconds."""

    label: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    """One rescale of a measured run; ``status`` is its status document (None where the whole job was restarted).

    ``name`` is the strategy, ``place`` its number among those that are compared, by which it looks the same in all
    drawings. ``cpu`` is of the whole run, ``steady_cpu`` of the period before the first request; others may take
    ``others_limit`` of it. ``load`` are the machine's load averages before the run and at its end, ``cpu_s`` the CPU
    seconds of the cluster from the request on beyond what it had taken as long before (None: not known).
    """

    name: str
    oracle: str
    measurement: Measurement
    marks: Sequence[Mark]
    state_bytes: int
    cpu: CpuUse
    load: tuple[float, float]
    place: int = 0
    busy_before: Sequence[float] = ()
    busy_after: Sequence[float] = ()
    notes: Sequence[str] = ()
    checkpoints: Checkpoints | None = None
    status: Mapping[str, Any] | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    ownership: Ownership | None = None
    cpu_s: float | None = None
    steady_cpu: CpuUse | None = None
    others_limit: float = MOST_BY_OTHERS

    @property
    def figures(self) -> Figures:
        """The figures of the rescale."""
        (figures,) = self.measurement.figures
        return figures

    @property
    def duration_ms(self) -> int | None:
        """From the request until the operation has ended and latency is re-stable; None if either never came."""
        figures = self.figures
        if figures.operation_ms is None or figures.re_stable_ms is None:
            return None
        return max(figures.operation_ms, figures.re_stable_ms)

    @property
    def doubts(self) -> list[str]:
        """Why the run's times are no measurement: the machine had too much else to do. What the run took is no doubt.

        Where that is not known, on a cluster that was given, all together counts.
        """
        cpu = self.cpu
        if cpu.others is None:
            if cpu.busy <= MOST_UNKNOWN:
                return []
            return [
                f"{self.name}: the machine was {cpu.busy:.0%} busy, at most {MOST_UNKNOWN:.0%} may be where the run's "
                "own part is not known, as on a cluster that was given"
            ]
        if cpu.others <= self.others_limit:
            return []
        return [
            f"{self.name}: other programs took {cpu.others:.0%} of the machine, at most {self.others_limit:.0%} may"
        ]

    @property
    def fills_machine(self) -> bool:
        """Whether the run itself took so much in its steady period that a rescale has no processors left."""
        return self.steady_cpu is not None and (self.steady_cpu.own or 0.0) > FULL


def oracle(runs: Sequence[Run]) -> str:
    """Return ``exact``, or the differences of the runs that are not."""
    differences = [f"{run.name}: {run.oracle}" for run in runs if run.oracle != EXACT]
    return "; ".join(differences) or EXACT
