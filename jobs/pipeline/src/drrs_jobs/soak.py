"""``make soak``: many rescales of one running job, out and in; its output is exact and nothing is left over.

What could be left over is counted when the operator is at its first parallelism, after a first round and at the end,
and, where a running job has any of it, once more when the job has been stopped:
network memory segments, threads, slots, files, open file descriptors, tasks, partitions, channels and the objects of
the plug-in (`drrs_jobs.holdings`). Ends with the line ``soak: n rescales, exact, 0 leaked``; exit code 1 if that is
not so.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pyctl.client import Client
from pyctl.execution import Execution
from pyctl.local_cluster import LocalCluster
from pyctl.model import Phase
from pyctl.planning import Manner
from pyctl.rescaling import rescale

from drrs_jobs.compare import EXACT, compare_run
from drrs_jobs.generator import GeneratorConfig, events
from drrs_jobs.holdings import Holdings, holdings
from drrs_jobs.job_run import await_running, stop
from drrs_jobs.waiting import await_until

JOB_JAR = Path("jobs/nexmark/target/drrs-nexmark.jar")
OPERATOR = "count"
START = 2
HIGHEST = 6
ROUND = (4, 3, 6, 1, START)
_SETTLE_S = 60.0


def rested(client: Client, cluster: LocalCluster) -> Holdings:
    """Return what is held once that no longer gets less."""
    seen = [holdings(client, cluster)]

    def no_less() -> bool:
        seen.append(holdings(client, cluster))
        return not seen[-2].more_than(seen[-1])

    await_until(no_less, "what is held to get no less", _SETTLE_S, 3.0)
    return seen[-1]


def left_over(client: Client, cluster: LocalCluster, of: Callable[[Holdings], dict[str, int]]) -> dict[str, int]:
    """Return what is still held, as `of` sees it, after a while."""
    seen: list[dict[str, int]] = []

    def nothing() -> bool:
        seen.append(of(holdings(client, cluster)))
        return not seen[-1]

    with contextlib.suppress(TimeoutError):
        await_until(nothing, "everything to be released", _SETTLE_S, 1.0)
    return seen[-1]


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
    config = GeneratorConfig(mode="mixed", events=number_of_events, rate=rate, seed=42)
    reference = list(events(config))
    folder, output = build / "cluster", (build / "output").resolve()
    options = {"slot.idle.timeout": "1000", "metrics.fetcher.update-interval": "200", "web.refresh-interval": "100"}
    with LocalCluster(folder, task_managers=3, slots=3, options=options) as cluster:
        client = Client(cluster.rest_address)
        job = cluster.submit(
            "-Ddrrs.enabled=true", str(JOB_JAR), "--query", "count", "--timers", "true", "--output", str(output),
            "--rate", str(rate), "--events", str(number_of_events), "--parallelism", str(START),
            "--source-parallelism", "2", "--checkpoint-interval-ms", "500", "--start-delay-ms", "500",
            # The job must still run when what it holds is counted, however slow the machine is.
            "--hold", "true",
        )  # fmt: skip
        await_running(client, job, {"running count": START})
        first: Holdings | None = None
        for number, parallelism in enumerate(targets(rescales, seed), 1):
            ended = rescale(Execution(client), job, [(OPERATOR, parallelism)], Manner(cause="soak"), timeout_s=120)
            status = ended.last
            print(f"{number:4} -> {parallelism}: {status.phase.name}, {status.duration_ms} ms", flush=True)
            if status.phase is not Phase.COMPLETED:
                print(f"soak: rescale {number} ended as {status.phase.name}: {status.reason}")
                return 1
            if number == len(ROUND):
                first = rested(client, cluster)
        if first is None:
            raise ValueError(f"{rescales} rescales are fewer than the {len(ROUND)} of the first round")
        before = first
        leaked = left_over(client, cluster, lambda now: now.more_than(before))
        await_running(client, job, {"running count": START}, timeout_s=1)
        with contextlib.suppress(TimeoutError):
            await_until(
                lambda: compare_run("count", reference, output) == EXACT, "all rows", 60 + number_of_events / rate, 2.0
            )
        # Nothing is under way any more that could become a row too many.
        stop(client, job, (build / "savepoint").resolve())
        leaked |= left_over(client, cluster, Holdings.without_job)
    verdict = compare_run("count", reference, output)
    for name, count in leaked.items():
        print(f"leaked: {count} {name}")
    print(f"soak: {rescales} rescales, {verdict}, {len(leaked)} leaked")
    return 0 if verdict == EXACT and not leaked else 1


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
