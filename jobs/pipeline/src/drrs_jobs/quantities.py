"""What is compared between strategies: each a key for programs, a name for people, a value of a run and its unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pyctl.model import Wait

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


NOTHING_OUT = "no result"
"""Of a latency: nothing came out meanwhile, as of windows that are longer than the rescale."""


def _figure(key: str, name: str, absent: str = "never") -> Quantity:
    return Quantity(key, name, lambda run: getattr(run.figures, key), absent=absent)


def _fact(key: str, name: str, of: Callable[[Any], float | None], unit: Unit = "number") -> Quantity:
    return Quantity(key, name, lambda run: None if run.status is None else of(run.status), unit)


def wait_of(status: Mapping[str, Any], kind: str) -> Wait | None:
    """Return what a status says of a kind of waits; None if nothing waited, or it is of before there were such."""
    found = Wait.model_validate(status.get("waits", {}).get(kind, {}))
    return found if found.count else None


def _wait(kind: str, name: str) -> Quantity:
    """The mean."""

    def mean(status: Any) -> float | None:
        wait = wait_of(status, kind)
        return None if wait is None else round(wait.mean_ms, 1)

    return _fact(f"{kind}_ms", name, mean, "ms")


def _times_steady(run: Run) -> float | None:
    figures = run.figures
    return None if figures.p99_ms is None else figures.p99_ms / max(figures.steady_p99_ms, 1.0)


TIMES = (
    _figure("peak_ms", "highest latency", NOTHING_OUT),
    _figure("avg_ms", "average latency", NOTHING_OUT),
    _figure("operation_ms", "request to operation end"),
    _figure("re_stable_ms", "request to steady again"),
    _figure("longest_gap_ms", "longest gap of one key", NOTHING_OUT),
)
"""Those that are drawn, and of which ratios are made."""

QUANTITIES = (
    *TIMES,
    Quantity("p99_times_steady", "p99 over the steady p99", _times_steady, "times", NOTHING_OUT),
    _fact(
        "suspension_ms",
        "longest suspension of a subtask",
        lambda status: max(status["suspension_ms"].values(), default=0),
        "ms",
    ),
    _wait("propagation", "propagation, mean of a subscale"),
    _wait("alignment", "alignment, mean of a subscale"),
    _wait("turn", "wait for a turn, mean of a subscale"),
    _wait("dependency", "dependency, mean of a key group"),
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

OF_LIVE = (
    "Of live strategies only, since a restart stops all subtasks and moves all state: suspension, the time in which a "
    "subtask did not read at least one of its channels; propagation, from the first signal of a subscale at the old "
    "owner to the last one there, and alignment, from the first one until the key groups leave, which with direct "
    "signals does not wait for the others; the wait for a turn, from when a subscale is ready until it starts; "
    "dependency, from when a key group has left its old owner until all of it is at the new one, behind those that it "
    "moves with; and moved, re-routed and set-aside."
)
