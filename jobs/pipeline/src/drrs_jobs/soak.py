"""``make soak``: many rescales of one running job, out and in; its output is exact and nothing is left over.

What could be left over is counted when the operator is at its first parallelism, after a first round and at the end:
network buffers, threads of the plug-in, slots, files of the TaskManagers. Ends with the line
``soak: n rescales, exact, 0 leaked``; exit code 1 if that is not so.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyctl.client import Client
from pyctl.local import LocalCluster
from pyctl.model import Phase
from pyctl.planning import Wish, carry_out

from drrs_jobs.compare import EXACT, compare_run
from drrs_jobs.flink import Flink
from drrs_jobs.generator import GeneratorConfig, events
from drrs_jobs.waiting import await_until

JOB_JAR = Path("jobs/nexmark/target/drrs-nexmark.jar")
OPERATOR = "count"
START = 2
HIGHEST = 6
ROUND = (4, 3, 6, 1, START)
_SEGMENTS = "Status.Shuffle.Netty.UsedMemorySegments"
_SETTLE_S = 20.0


@dataclass(frozen=True)
class Held:
    """What the cluster holds while the job runs at its first parallelism."""

    network_buffers: int
    plugin_threads: int
    taken_slots: int
    files: int

    def more_than(self, other: Held) -> int:
        """Return how many things there are here that were not there before."""
        pairs = zip(self.__dict__.values(), other.__dict__.values(), strict=True)
        return sum(max(0, now - then) for now, then in pairs)


def held(flink: Flink, folder: Path) -> Held:
    """Count what the cluster holds now."""
    overview = flink.get("/overview")
    buffers = threads = 0
    for manager in flink.get("/taskmanagers")["taskmanagers"]:
        buffers += _buffers(flink, manager["id"])
        dump = flink.get(f"/taskmanagers/{manager['id']}/thread-dump")["threadInfos"]
        threads += sum(one["threadName"].startswith("drrs-") for one in dump)
    files = sum(path.is_file() for path in (folder / "tmp").rglob("*"))
    return Held(buffers, threads, overview["slots-total"] - overview["slots-available"], files)


def settled(flink: Flink, folder: Path, before: Held) -> Held:
    """Return what is held once nothing more than before is, or after a while."""
    seen = [held(flink, folder)]

    def nothing_more() -> bool:
        seen.append(held(flink, folder))
        return seen[-1].more_than(before) == 0

    with contextlib.suppress(TimeoutError):
        await_until(nothing_more, "everything to be released", _SETTLE_S, 1.0)
    return seen[-1]


def _buffers(flink: Flink, manager: str) -> int:
    """Return the network buffers in use; the JobManager fetches metrics only when somebody asks, and answers later."""
    path = f"/taskmanagers/{manager}/metrics?get={_SEGMENTS}"
    return int(await_until(lambda: flink.get(path), f"metrics of {manager}", 30)[0]["value"])


def targets(count: int, seed: int) -> Iterator[int]:
    """Parallelisms to go to, one after the other; the first round is fixed, the last one leads back to the start."""
    draw = random.Random(seed)
    present = START
    for number in range(count - 1):
        choices = [p for p in range(1, HIGHEST + 1) if p != present]
        if number == count - 2:
            choices = [p for p in choices if p != START] or choices
        present = ROUND[number] if number < len(ROUND) else draw.choice(choices)
        yield present
    yield START


def soak(build: Path, rescales: int, seed: int, rate: int, seconds_each: float) -> int:
    """Run it; returns the exit code."""
    shutil.rmtree(build, ignore_errors=True)
    number_of_events = int(rate * (30 + rescales * seconds_each))
    folder, output = build / "cluster", (build / "output").resolve()
    options = {"slot.idle.timeout": "1000", "metrics.fetcher.update-interval": "200", "web.refresh-interval": "100"}
    with LocalCluster(folder, task_managers=3, slots=3, options=options) as cluster:
        flink, client = Flink(cluster.rest_url), Client(cluster.rest_address)
        job = cluster.submit(
            "-Ddrrs.enabled=true", str(JOB_JAR), "--query", "count", "--timers", "true", "--output", str(output),
            "--rate", str(rate), "--events", str(number_of_events), "--parallelism", str(START),
            "--source-parallelism", "2", "--checkpoint-interval-ms", "500", "--start-delay-ms", "500",
        )  # fmt: skip
        flink.await_running(job, {"running count": START})
        first: Held | None = None
        for number, parallelism in enumerate(targets(rescales, seed), 1):
            status = carry_out(client, job, OPERATOR, Wish(parallelism, cause="soak"), timeout_s=120)
            print(f"{number:4} -> {parallelism}: {status.phase.name}, {status.duration_ms} ms", flush=True)
            if status.phase is not Phase.COMPLETED:
                print(f"soak: rescale {number} ended as {status.phase.name}: {status.reason}")
                return 1
            if number == len(ROUND):
                first = held(flink, folder)
        if first is None:
            raise ValueError(f"{rescales} rescales are fewer than the {len(ROUND)} of the first round")
        before = first
        last = settled(flink, folder, before)
        flink.check_runs(job)
        flink.await_finished(job, timeout_s=60 + number_of_events / rate)
    config = GeneratorConfig(mode="mixed", events=number_of_events, rate=rate, seed=42)
    verdict = compare_run("count", events(config), output)
    leaked = last.more_than(first)
    print(f"after the first round {first}, at the end {last}")
    print(f"soak: {rescales} rescales, {verdict}, {leaked} leaked")
    return 0 if verdict == EXACT and leaked == 0 else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=Path("build/soak"))
    parser.add_argument("--rescales", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=int, default=1_000, help="events per second")
    parser.add_argument("--seconds-each", type=float, default=1.5, help="expected time of a rescale")
    given = parser.parse_args(arguments)
    return soak(given.build_dir, given.rescales, given.seed, given.rate, given.seconds_each)


if __name__ == "__main__":
    sys.exit(main())
