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

MOST_BUSY = 0.6
MOST_BY_OTHERS = 0.1


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
    drawings. ``load`` are the machine's load averages before the cluster was started and at the end, ``cpu_s`` the CPU
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
        """Why the run's times are no measurement: the machine had too much else to do."""
        found = []
        if self.cpu.others > MOST_BY_OTHERS:
            found.append(f"other programs took {self.cpu.others:.0%} of the machine, at most {MOST_BY_OTHERS:.0%} may")
        if self.cpu.busy > MOST_BUSY:
            found.append(f"the machine was {self.cpu.busy:.0%} busy, at most {MOST_BUSY:.0%} may be")
        return [f"{self.name}: {one}" for one in found]


def oracle(runs: Sequence[Run]) -> str:
    """Return ``exact``, or the differences of the runs that are not."""
    differences = [f"{run.name}: {run.oracle}" for run in runs if run.oracle != EXACT]
    return "; ".join(differences) or EXACT
