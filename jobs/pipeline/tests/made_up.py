"""Runs whose figures are made up, for what is made of figures."""

from typing import Any

from drrs_jobs.checkpoints import Checkpoints
from drrs_jobs.figures import Figures, Measurement
from drrs_jobs.machine import CpuUse
from drrs_jobs.ownership import Ownership, at_start
from drrs_jobs.report.contents import Section
from drrs_jobs.rounds import Round
from drrs_jobs.runs import Mark, Run

T0 = 1_700_000_000_000
SET_UP = {"machine": "2 cores <slow>"}
NAMES = ("live rescale", "stop and restart")
QUIET = CpuUse(0.4, 0.02)
STEADY = CpuUse(0.35, 0.01)
STATUS: dict[str, Any] = {
    "key_groups": {"moved": 64, "total": 64},
    "min_key_groups": 64,
    "bytes": {"moved": 100_000_000, "total": 100_000_000},
    "records": {"rerouted": 5, "set_aside": 1_234},
    "suspension_ms": {"0": 3, "2": 14},
    "waits": {
        "propagation": {"count": 4, "total_ms": 100, "longest_ms": 40},
        "alignment": {"count": 4, "total_ms": 6, "longest_ms": 4},
        "turn": {"count": 4, "total_ms": 900, "longest_ms": 350},
        "dependency": {"count": 64, "total_ms": 1_280, "longest_ms": 1_032},
    },
    "exchange": {"bytes": 110_000_000, "busy_ms": 500},
}


def run(
    place: int = 0, oracle: str = "exact", peak: float = 100.0, cpu: CpuUse = QUIET, name: str = "", **changes: Any
) -> Run:
    figures: dict[str, Any] = {
        "label": str(place),
        "requested_at": T0,
        "steady_p99_ms": 9.0,
        "steady_peak_ms": 12.0,
        "steady_avg_ms": 3.0,
        "limit_ms": 14.4,
        "peak_ms": peak,
        "avg_ms": peak / 2,
        "p99_ms": peak * 0.9,
        "operation_ms": 1_500,
        "re_stable_ms": 2_000,
        "held_ms": 30_000,
        "longest_gap_ms": 70,
        "longest_gap_key": "1",
        "keys_with_gap_over_1s": 0,
        "notes": ("a < b",),
    }
    live = place != 1
    phases = (("PLANNED", 0, 2), ("PROVISIONING", 2, 100), ("MIGRATING", 100, 1_500), ("RETIRING", 1_500, 1_700))
    stops = (("stop with savepoint", 0, 700), ("submit", 700, 760), ("deploy and restore", 760, 4_000))
    return Run(
        name=name or NAMES[place],
        place=place,
        oracle=oracle,
        measurement=measurement(Figures(**(figures | changes)), peak, live),
        marks=tuple(Mark(label, T0 + begin, T0 + end) for label, begin, end in (phases if live else stops)),
        state_bytes=200_000_000,
        cpu=cpu,
        load=(0.3, 1.2),
        checkpoints=Checkpoints(3, 0, 200_000_000) if live else None,
        status=STATUS if live else None,
        cpu_s=1.25,
        steady_cpu=STEADY,
        ownership=ownership(live),
    )


def measurement(figures: Figures, peak: float, live: bool) -> Measurement:
    begin, end = (100, 1_500) if live else (0, 4_000)
    buckets = tuple(
        {
            "bucket": T0 + at,
            "p50_ms": 3.0 if live or not begin <= at < end else None,
            "worst_ms": 5 + at % 7 if not begin <= at < end else peak * (0.5 + (at - begin) / (end - begin) / 2),
        }
        for at in range(-20_000, 40_000, 100)
    )
    distribution = tuple({"up_to_ms": int(peak * part) // 10, "records": 100 // part} for part in range(11) if part)
    gaps = tuple(
        {"key_group": group, "bucket": T0 + at, "gap_ms": peak / 2 if begin <= at < end else 5 + group}
        for group in range(0, 128, 3)
        for at in range(-5_000, 9_000, 250)
    )
    resources = tuple(
        {"name": name, "of": of, "bucket": T0 + at, "mean": value, "high": value}
        for at in range(-15_000, 40_000, 1_000)
        for name, of, value in (("cpu", "machine", 0.4), ("cpu", "tm-1", 0.2), ("resident", "tm-1", 600e6))
    )
    return Measurement(1_000, 2.0, 250.0, (figures,), buckets, (distribution,), gaps, resources)


def ownership(live: bool) -> Ownership:
    if not live:
        return Ownership(at_start(2), at_start(4), T0, T0 + 4_000, stopped=True)
    after = tuple(owner + 2 if group % 2 else owner for group, owner in enumerate(at_start(2)))
    return Ownership(at_start(2), after, T0 + 100, T0 + 1_500)


def pair(peak: float = 100.0, restart_peak: float = 9_000.0, **changes: Any) -> Round:
    """A round of two."""
    return Round((run(0, peak=peak, **changes), run(1, peak=restart_peak, **changes)))


def three(peak: float = 100.0, **changes: Any) -> Round:
    """A round of three, the last of which comes second."""
    return Round((*pair(peak, **changes).runs, run(2, peak=peak * 4, name="megaphone(batch=4)", **changes)))


PEAKS = (90.0, 100.0, 180.0, 95.0, 99.0)


def pairs(count: int = 5) -> list[Round]:
    return [pair(peak) for peak in PEAKS[:count]]


def section(*rounds: Round, missing: int = 0) -> Section:
    return Section("demo, 2 -> 4", rounds, 5_000, {"rescale": "2 -> 4"}, missing)
