"""The figures of a rescale, by the definitions of the evaluation.

- steady: the outputs of the ``steady_ms`` before the request;
- operation end: the last subscale is done (for a restart: the job runs at the new parallelism);
- re-stable: the first moment after which each 100 ms bucket stays below the limit for ``hold_ms``. The limit is 1.2 x
  the steady peak, or what is given: runs that are compared have to have the same one;
- peak, average and p99: over the outputs from the request to the later of operation end and re-stable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]

MAX_PARALLELISM = 128
"""Key groups of the jobs here, unless they are told otherwise."""

STABLE_FACTOR = 1.2


@dataclass(frozen=True, slots=True)
class Rescale:
    """When a rescale was requested and when its operation ended (None: it has not), epoch milliseconds."""

    label: str
    requested_at: int
    operation_end: int | None

    @classmethod
    def from_status(cls, status: dict[str, Any]) -> Rescale:
        """Read the status document of a rescale (see ``docs/interfaces.md``)."""
        begun = {phase["phase"]: int(phase["at"]) for phase in status["phases"]}
        # The last subscale is done when the rescale goes on from MIGRATING, to RETIRING if there is anything to retire.
        end = begun.get("RETIRING", begun.get("COMPLETED"))
        return cls(str(status["request_id"]), int(status["accepted_at"]), end)


@dataclass(frozen=True, slots=True)
class Windows:
    """Lengths of the periods that are looked at, in milliseconds."""

    steady_ms: int = 20_000
    hold_ms: int = 30_000


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one rescale; durations in milliseconds, None if the moment never came."""

    label: str
    requested_at: int
    steady_p99_ms: float
    steady_peak_ms: float
    steady_avg_ms: float
    limit_ms: float
    peak_ms: float | None
    avg_ms: float | None
    p99_ms: float | None
    operation_ms: int | None
    re_stable_ms: int | None
    held_ms: int | None
    longest_gap_ms: int | None
    longest_gap_key: str | None
    keys_with_gap_over_1s: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measurement:
    """The figures of a run and its latency over time; ``per_core`` is aggregated records per second and core.

    Rows are those of the transforms in ``aggregates`` of the same name, distributions one for each rescale.
    """

    records: int
    seconds: float
    per_core: float
    figures: tuple[Figures, ...]
    buckets: tuple[Row, ...]
    distributions: tuple[tuple[Row, ...], ...] = ()
    key_group_gaps: tuple[Row, ...] = ()
    resources: tuple[Row, ...] = ()
