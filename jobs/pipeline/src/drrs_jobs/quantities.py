"""What is compared between strategies: each a key for programs, a name for people, a value of a run and its unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from drrs_jobs.runs import Run

Unit = Literal["ms", "times", "number", "MB", "s", "share"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """``of`` is None for a moment that never came, or for what is not known of a run: ``absent`` says which."""

    key: str
    name: str
    of: Callable[[Run], float | None]
    unit: Unit = "ms"
    absent: str = "-"

    def shown(self, value: float | None) -> str:
        """A value in words."""
        if value is None:
            return self.absent
        match self.unit:
            case "ms":
                return f"{value:,.1f} ms" if isinstance(value, float) and value < 100 else f"{value:,.0f} ms"
            case "times":
                return f"{value:,.1f} x"
            case "MB":
                return f"{value:,.1f} MB"
            case "s":
                return f"{value:,.1f} s"
            case "share":
                return f"{value:.0%}"
        return f"{value:,.0f}"


def _figure(key: str, name: str) -> Quantity:
    return Quantity(key, name, lambda run: getattr(run.figures, key), absent="never")


def _fact(key: str, name: str, of: Callable[[Any], float | None], unit: Unit = "number") -> Quantity:
    return Quantity(key, name, lambda run: None if run.status is None else of(run.status), unit)


def _times_steady(run: Run) -> float | None:
    figures = run.figures
    return None if figures.p99_ms is None else figures.p99_ms / max(figures.steady_p99_ms, 1.0)


TIMES = (
    _figure("peak_ms", "highest latency"),
    _figure("avg_ms", "average latency"),
    _figure("operation_ms", "request to operation end"),
    _figure("re_stable_ms", "request to steady again"),
    _figure("longest_gap_ms", "longest gap of one key"),
)
"""Those that are drawn, and of which ratios are made."""

QUANTITIES = (
    *TIMES,
    Quantity("p99_times_steady", "p99 over the steady p99", _times_steady, "times", "never"),
    _fact(
        "suspension_ms",
        "longest suspension of a subtask",
        lambda status: max(status["suspension_ms"].values(), default=0),
        "ms",
    ),
    _fact("moved_key_groups", "moved key groups", lambda status: status["key_groups"]["moved"]),
    _fact("moved_mb", "moved state", lambda status: status["bytes"]["moved"] / 1e6, "MB"),
    _fact("rerouted", "re-routed records", lambda status: status["records"]["rerouted"]),
    _fact("set_aside", "records set aside", lambda status: status["records"]["set_aside"]),
    Quantity("cpu_s", "CPU beyond the steady", lambda run: run.cpu_s, "s"),
    Quantity(
        "cpu_own_steady",
        "load by the run itself before",
        lambda run: None if run.steady_cpu is None else run.steady_cpu.own,
        "share",
    ),
    Quantity("cpu_own", "load by the run itself, whole run", lambda run: run.cpu.own, "share"),
    Quantity("cpu_others", "load by other programs, whole run", lambda run: run.cpu.others, "share"),
)

NOT_TOLD = (
    "Propagation and dependency time are not in a rescale's status, so they have no row; suspension, moved, re-routed "
    "and set-aside are of live strategies only, since a restart stops all subtasks and moves all state."
)
