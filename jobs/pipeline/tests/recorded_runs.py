"""A bench that was recorded, made by code: latency records of runs of which every latency is known."""

import json
from pathlib import Path
from typing import Any

from drrs_jobs.checkpoints import Checkpoints
from drrs_jobs.figures import Rescale
from drrs_jobs.machine import CpuUse
from drrs_jobs.runner import recorded
from drrs_jobs.runner.bench import Bench, prepare
from drrs_jobs.runner.marks import rescale_marks
from drrs_jobs.runner.recorded import Recorded, Step
from drrs_jobs.runner.strategies import parse_strategies
from drrs_jobs.runs import Mark
from drrs_jobs.workloads.loading import parse

T0 = 1_700_000_000_000
"""Start of the schedule."""

REQUEST_S, AGAIN_S, END_S = 12, 20, 30
STEADY_MS = 4
WORKLOAD = """\
name: made
title: made up by a test
query: count
seconds: 36
rate: {events_per_second: 100}
operator: {uid: count, name: running count}
rescales:
  - {to: 4, after_s: 12}
  - {to: 2, after_s: 20}
measure: {steady_s: 5, hold_s: 5}
"""


def bench(strategies: str = "drrs,restart", repeat: int = 1) -> Bench:
    return Bench((parse(WORKLOAD, "made.yaml"),), tuple(parse_strategies(strategies)), repeat)


def status(begin: int, length: int) -> dict[str, Any]:
    """The status document of a live rescale."""
    return {
        "request_id": str(begin),
        "accepted_at": begin,
        "phases": [
            {"phase": "PLANNED", "at": begin},
            {"phase": "MIGRATING", "at": begin + 10},
            {"phase": "COMPLETED", "at": begin + length},
        ],
        "key_groups": {"moved": 64, "total": 64},
        "min_key_groups": 64,
        "bytes": {"moved": 1_000_000, "total": 1_000_000},
        "records": {"rerouted": 5, "set_aside": 7},
        "suspension_ms": {"2": 14},
        "exchange": {"bytes": 1_000_000, "busy_ms": 10},
    }


def write_records(output: Path, stall_ms: int, *, twice: bool = False) -> None:
    """A record each 10 ms, of one of ten keys; nothing comes out for ``stall_ms`` from each request on.

    ``twice``: each record comes out once more, 3 s later, as with sliding windows.
    """
    stalls = [T0 + at * 1_000 for at in (REQUEST_S, AGAIN_S)]
    lines = []
    for number in range(END_S * 100):
        due = T0 + number * 10
        out = due + STEADY_MS
        for begin in stalls:
            if begin <= out < begin + stall_ms:
                out = begin + stall_ms
        for late in (0, 3_000) if twice else (0,):
            lines.append({"k": str(number % 10), "s": due, "o": out + late, "n": 0})
    (output / "latency").mkdir(parents=True)
    (output / "latency/part-0.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in lines))


def run_of(strategy: str, stall_ms: int, oracle: str = "exact") -> Recorded:
    """What a run of that strategy leaves, live unless it is named restart."""
    steps = []
    for before, after, at in ((2, 4, REQUEST_S), (4, 2, AGAIN_S)):
        begin = T0 + at * 1_000
        if strategy == "restart":
            rescale = Rescale("restart", begin, begin + stall_ms)
            steps.append(Step(before, after, rescale, (Mark("submit", begin, begin + stall_ms),)))
        else:
            told = status(begin, stall_ms)
            marks = rescale_marks(told)
            steps.append(Step(before, after, Rescale.from_status(told), marks, Checkpoints(2, 0, 1_000), told))
    return Recorded(
        strategy=strategy, oracle=oracle, seconds=50.0, steps=tuple(steps), state_bytes=1_000_000,
        cpu=CpuUse(0.2, 0.01), steady_cpu=CpuUse(0.1, 0.01), load=(0.1, 0.2), busy_before=(0.5, 0.5),
        busy_after=(0.25, 0.25),
        flink_version="2.3.0", java="17.0.1", plugin=None if strategy == "restart" else "0.1.0 (build abc)",
    )  # fmt: skip


def record(made: Bench, folder: Path, stalls: dict[str, list[int]]) -> None:
    """Write a whole bench; the stalls of a strategy are those of its rounds, and one without is not there."""
    prepare(made, folder)
    for turn in made.turns():
        of_rounds = stalls[turn.strategy.label]
        if turn.repetition > len(of_rounds):
            continue
        place = turn.folder(folder)
        write_records(place / "output", of_rounds[turn.repetition - 1])
        recorded.write(run_of(turn.strategy.label, of_rounds[turn.repetition - 1]), place)
