"""Runs that are compared: a live rescale and a restart in one session, and what several such pairs allow to say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from drrs_jobs.checkpoints import Checkpoints
from drrs_jobs.runs import Run, oracle

PAIRS_FOR_A_RATIO = 5
"""Fewer repetitions do not tell what is the strategy's and what is the machine's."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A live rescale and a restart, one right after the other."""

    plugin: Run
    restart: Run

    @property
    def runs(self) -> tuple[Run, Run]:
        """Both, the live rescale first."""
        return self.plugin, self.restart

    @property
    def limit_ms(self) -> float:
        """The limit below which latency counts as steady again, the same one in both."""
        return self.plugin.figures.limit_ms


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that was measured in each run: a key for programs, a name for people, milliseconds or None."""

    key: str
    name: str
    of: Callable[[Run], float | None]


QUANTITIES = (
    Quantity("peak_ms", "highest latency", lambda run: run.figures.peak_ms),
    Quantity("avg_ms", "average latency", lambda run: run.figures.avg_ms),
    Quantity("operation_ms", "request to operation end", lambda run: run.figures.operation_ms),
    Quantity("re_stable_ms", "request to steady again", lambda run: run.figures.re_stable_ms),
    Quantity("longest_gap_ms", "longest gap of one key", lambda run: run.figures.longest_gap_ms),
)


@dataclass(frozen=True, slots=True)
class Ratio:
    """What the live rescale took as a part of what the restart took, over the pairs in which both are known."""

    name: str
    median: float
    low: float
    high: float
    pairs: int


def ratios(pairs: Sequence[Pair]) -> dict[str, Ratio]:
    """Return the ratios by key: none of a single pair, since one run of each allows no such statement."""
    found: dict[str, Ratio] = {}
    if len(pairs) < 2:
        return found
    for quantity in QUANTITIES:
        values = []
        for pair in pairs:
            live, restart = quantity.of(pair.plugin), quantity.of(pair.restart)
            if live is not None and restart:
                values.append(live / restart)
        if len(values) >= 2:
            found[quantity.key] = Ratio(quantity.name, median(values), min(values), max(values), len(values))
    return found


def doubts(pairs: Sequence[Pair]) -> list[str]:
    """Return why these times are no measurement; empty if nothing speaks against it."""
    return [doubt for pair in pairs for run in pair.runs for doubt in run.doubts]


def middle_pair(pairs: Sequence[Pair]) -> Pair:
    """Return the pair to be shown: the one in the middle by the live rescale's highest latency."""
    ordered = sorted(pairs, key=lambda pair: pair.plugin.figures.peak_ms or 0.0)
    return ordered[(len(ordered) - 1) // 2]


def summary(pairs: Sequence[Pair], events: int, set_up: Mapping[str, str]) -> dict[str, Any]:
    """Return the document ``summary.json``: times in milliseconds, null for a moment that never came."""
    shown = middle_pair(pairs)
    return {
        "oracle": oracle([run for pair in pairs for run in pair.runs]),
        "events": events,
        "state_bytes": shown.plugin.state_bytes,
        "set_up": dict(set_up),
        "measurement": not doubts(pairs),
        "doubts": doubts(pairs),
        "limit_ms": shown.limit_ms,
        "plugin": _live(shown.plugin),
        "restart": _times(shown.restart),
        "pairs": [
            {"limit_ms": pair.limit_ms, "plugin": _times(pair.plugin), "restart": _times(pair.restart)}
            for pair in pairs
        ],
        "ratios": {
            key: {"median": ratio.median, "low": ratio.low, "high": ratio.high, "pairs": ratio.pairs}
            for key, ratio in ratios(pairs).items()
        },
    }


def _live(run: Run) -> dict[str, Any]:
    status = run.status or {}
    checkpoints = run.checkpoints or Checkpoints(0, 0, 0)
    return {
        **_times(run),
        "moved_key_groups": status.get("key_groups", {}).get("moved"),
        "min_key_groups": status.get("min_key_groups"),
        "checkpoints_ok": checkpoints.completed,
        "checkpoints_failed": checkpoints.failed,
    }


def _times(run: Run) -> dict[str, Any]:
    figures = run.figures
    return {
        **{quantity.key: quantity.of(run) for quantity in QUANTITIES},
        "duration_ms": run.duration_ms,
        "steady_p99_ms": figures.steady_p99_ms,
        "steady_peak_ms": figures.steady_peak_ms,
        "cpu": round(run.cpu.busy, 3),
        "cpu_of_others": round(run.cpu.others, 3),
        "load_average": [round(load, 2) for load in run.load],
    }
