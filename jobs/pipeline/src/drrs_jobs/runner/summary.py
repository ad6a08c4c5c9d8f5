"""The figures of a bench for programs: times in milliseconds, null for a moment that never came or is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from drrs_jobs.quantities import QUANTITIES, TIMES
from drrs_jobs.report.contents import Section
from drrs_jobs.rounds import Round, doubts, middle_round, ratio, spread, values
from drrs_jobs.runs import Run, oracle


def summary(sections: Sequence[Section], set_up: Mapping[str, str]) -> dict[str, Any]:
    """Return the document ``summary.json`` of a bench."""
    rounds = [one for section in sections for one in section.rounds]
    return {
        "oracle": oracle([run for one in rounds for run in one.runs]),
        "measurement": not doubts(rounds),
        "doubts": doubts(rounds),
        "set_up": dict(set_up),
        "comparisons": [_comparison(section) for section in sections],
    }


def _comparison(section: Section) -> dict[str, Any]:
    rounds = section.rounds
    return {
        "title": section.title,
        "set_up": dict(section.set_up),
        "events": section.events,
        "missing_runs": section.missing,
        "strategies": {run.name: _spreads(rounds, place) for place, run in enumerate(rounds[0].runs)},
        "rounds": [
            {"limit_ms": one.limit_ms, "runs": {run.name: times(run) for run in one.runs}} for one in rounds
        ],
    }  # fmt: skip


def _spreads(rounds: Sequence[Round], place: int) -> dict[str, Any]:
    found = {quantity.key: spread(values(rounds, place, quantity)) for quantity in QUANTITIES}
    return {key: None if one is None else asdict(one) for key, one in found.items()}


def times(run: Run) -> dict[str, Any]:
    """Return all of a run."""
    figures = run.figures
    return {
        **{quantity.key: quantity.of(run) for quantity in QUANTITIES},
        "duration_ms": run.duration_ms,
        "steady_p99_ms": figures.steady_p99_ms,
        "steady_peak_ms": figures.steady_peak_ms,
        "cpu_busy": run.cpu.busy,
        "load_average": [round(load, 2) for load in run.load],
    }


def demo_summary(section: Section, set_up: Mapping[str, str]) -> dict[str, Any]:
    """Return the document ``summary.json`` of the demo: the live rescale as ``plugin`` beside the restart."""
    rounds = section.rounds
    shown = middle_round(rounds)
    live, restart = shown.runs
    status, counted = live.status or {}, live.checkpoints
    found = {quantity.key: ratio(rounds, 0, 1, quantity) for quantity in TIMES}
    return {
        "oracle": oracle([run for one in rounds for run in one.runs]),
        "events": section.events,
        "state_bytes": live.state_bytes,
        "set_up": {**set_up, **section.set_up},
        "measurement": not doubts(rounds),
        "doubts": doubts(rounds),
        "limit_ms": shown.limit_ms,
        "plugin": {
            **_of_demo(live),
            "min_key_groups": status.get("min_key_groups"),
            "checkpoints_ok": counted.completed if counted else 0,
            "checkpoints_failed": counted.failed if counted else 0,
        },
        "restart": _of_demo(restart),
        "pairs": [
            {"limit_ms": one.limit_ms, "plugin": _of_demo(one.runs[0]), "restart": _of_demo(one.runs[1])}
            for one in rounds
        ],
        "ratios": {
            key: {"median": one.median, "low": one.low, "high": one.high, "pairs": one.known}
            for key, one in found.items()
            if one is not None
        },
    }  # fmt: skip


def _of_demo(run: Run) -> dict[str, Any]:
    document = times(run)
    return {**document, "cpu": round(run.cpu.busy, 3)}
