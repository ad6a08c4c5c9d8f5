"""``make storm``: a request every two seconds, whether a rescale is under way or not.

At most one runs; the others are answered as documented. Afterwards the job's output is as timely as before and exact,
heap and direct memory are what they were after the first third. Prints the figures and ends with the line
``storm: n requests, n rescales, exact, flat``; exit code 1 if that is not so.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from pyctl.client import Client
from pyctl.errors import Refused
from pyctl.local_cluster import LocalCluster
from pyctl.model import Phase, Rescale
from pyctl.planner import PlannerOptions
from pyctl.planning import Wish, propose

from drrs_jobs.compare import EXACT, compare_run
from drrs_jobs.generator import GeneratorConfig, events
from drrs_jobs.job_run import await_finished, await_running
from drrs_jobs.live_memory import LiveMemory, job_manager, task_managers
from drrs_jobs.tail import LatencyTail
from drrs_jobs.waiting import await_until

JOB_JAR = Path("jobs/nexmark/target/drrs-nexmark.jar")
OPERATOR = "count"
START = 2
HIGHEST = 6
EVERY_S = 2.0
AFTERWARDS_S = 50
RESCALE_LIMIT_S = 120.0
STEADY_LIMIT_S = 60.0
STEADY_MS = 1_000
_PERIOD_MS = 3_000
_GROWTH, _SLACK = 0.10, 8 << 20
_ACCEPTED = "accepted"
ANSWERS = frozenset(
    {
        _ACCEPTED, "RESCALE_IN_PROGRESS", "NOT_ENOUGH_SLOTS", "PARALLELISM_UNCHANGED", "PLAN_INVALID", "PLAN_INCOMPLETE"
    }
)  # fmt: skip
"""What a request may be answered with: the last ones if it was planned from what has changed since."""


@dataclass
class Storm:
    """What was asked and answered so far. One thread."""

    client: Client
    job: str
    draw: random.Random
    answers: Counter[str] = field(default_factory=Counter)

    def ask(self) -> None:
        """Send one request to go to another parallelism, whatever is under way."""
        vertex = next(v for v in self.client.vertices(self.job).vertices if v.answers_to(OPERATOR))
        parallelism = self.draw.choice([p for p in range(1, HIGHEST + 1) if p != vertex.parallelism])
        wish = Wish(parallelism, cause="storm")
        proposal = propose(self.client, self.job, OPERATOR, wish, PlannerOptions())
        try:
            self.client.rescale(self.job, proposal.request)
            self.answers[_ACCEPTED] += 1
        except Refused as refused:
            self.answers.update({fault.code for fault in refused.faults})

    def rescales(self) -> list[Rescale]:
        """Those that were accepted, oldest first."""
        return sorted(self.client.history(self.job), key=lambda one: one.accepted_at)

    def await_calm(self) -> None:
        """Wait until no rescale is under way."""
        await_until(
            lambda: all(one.phase.terminal for one in self.rescales()), "the last rescale to end", RESCALE_LIMIT_S
        )


def faults(storm: Storm) -> list[str]:
    """What was not as documented."""
    found = [f"{times} answers {code}" for code, times in storm.answers.items() if code not in ANSWERS]
    rescales = storm.rescales()
    found += [
        f"rescale {one.request_id} to {one.to_parallelism} ended as {one.phase}: {one.reason}"
        for one in rescales
        if one.phase is not Phase.COMPLETED
    ]
    found += [
        f"rescale {after.request_id} began before {before.request_id} had ended"
        for before, after in pairwise(rescales)
        if before.ended_at is None or after.accepted_at < before.ended_at
    ]
    if len(rescales) != storm.answers[_ACCEPTED]:
        found.append(f"{storm.answers[_ACCEPTED]} requests were accepted, the history has {len(rescales)}")
    return found


class Measured:
    """Memory of the JobManager and of all TaskManagers at some moments."""

    def __init__(self, client: Client, cluster: LocalCluster) -> None:
        self._client = client
        self._cluster = cluster
        self._looks: list[tuple[LiveMemory, LiveMemory]] = []

    def look(self, when: str) -> None:
        """Measure, and print it."""
        managers = task_managers(self._client, self._cluster.task_managers)
        master = job_manager(self._client, self._cluster.job_manager)
        self._looks.append((managers, master))
        print(f"memory {when}: TaskManagers {managers}; JobManager {master}", flush=True)

    def growth(self) -> list[str]:
        """What has grown since the first look."""
        first, last = self._looks[0], self._looks[-1]
        names = ("TaskManagers", "JobManager")
        return [
            f"the memory of the {name} has grown from {before} to {after}"
            for name, before, after in zip(names, first, last, strict=True)
            if not after.flat_since(before, _GROWTH, _SLACK)
        ]


def blow(storm: Storm, seconds: float, memory: Measured) -> None:
    """Ask every two seconds; look at the memory after each third."""
    begin = time.monotonic()
    count = int(seconds / EVERY_S)
    looks = {count // 3, 2 * count // 3}
    for number in range(count):
        if number in looks:
            memory.look(f"after {time.monotonic() - begin:.0f} s")
        storm.ask()
        time.sleep(max(0.0, begin + (number + 1) * EVERY_S - time.monotonic()))


def calm_delay(tail: LatencyTail) -> int:
    """Wait until the output is timely for a while; returns the 99th percentile of its delay then, in ms."""

    def timely() -> bool:
        tail.poll()
        delay = tail.p99(_PERIOD_MS)
        return tail.running_ms() > _PERIOD_MS and delay is not None and delay < STEADY_MS

    await_until(timely, f"output that is less than {STEADY_MS} ms late", STEADY_LIMIT_S, 0.5)
    return tail.p99(_PERIOD_MS) or 0


def run(build: Path, seconds: int, seed: int, rate: int) -> int:
    """Run it; returns the exit code."""
    shutil.rmtree(build, ignore_errors=True)
    number_of_events = rate * (seconds + AFTERWARDS_S)
    output = (build / "output").resolve()
    opening = (build / "open").resolve()
    options = {"slot.idle.timeout": "1000", "metrics.fetcher.update-interval": "200", "web.refresh-interval": "100"}
    with LocalCluster(build / "cluster", task_managers=3, slots=3, options=options) as cluster:
        client = Client(cluster.rest_address, timeout_s=30)
        job = cluster.submit(
            "-Ddrrs.enabled=true", f"-Ddrrs.history.size={seconds}", "-Ddrrs.strategy.subscale-concurrency=1",
            "-Ddrrs.strategy.pull-window=1", str(JOB_JAR), "--query", OPERATOR, "--output", str(output),
            "--rate", str(rate), "--events", str(number_of_events), "--parallelism", str(START),
            "--source-parallelism", "2", "--checkpoint-interval-ms", "1000", "--start-delay-ms", "500",
            "--ballast-bytes", "100", "--preload-keys", "40000", "--preload-first-key", "1000000",
            "--opening-file", str(opening), "--wait-from", str(number_of_events - 1), "--hurry", "true",
        )  # fmt: skip
        await_running(client, job, {"running count": START})
        tail = LatencyTail(output)
        before = calm_delay(tail)
        storm, memory = Storm(client, job, random.Random(seed)), Measured(client, cluster)
        blow(storm, seconds, memory)
        storm.await_calm()
        after = calm_delay(tail)
        memory.look("at the end")
        found, rescales = faults(storm) + memory.growth(), storm.rescales()
        config = GeneratorConfig(mode="mixed", events=number_of_events, rate=rate, seed=42)
        opening.touch()  # what is left of the events comes at once
        await_finished(client, job, timeout_s=60 + number_of_events / rate)
    verdict = compare_run(OPERATOR, events(config), output)
    took = sorted(one.duration_ms or 0 for one in rescales)
    print(f"answers: {', '.join(f'{code} {times}' for code, times in sorted(storm.answers.items()))}")
    print(f"rescales took {took[0]} to {took[-1]} ms, {took[len(took) // 2]} in the middle")
    print(f"delay of the output (99 %): {before} ms before, {after} ms after")
    for fault in found:
        print(fault)
    flat = "flat" if not found else f"{len(found)} faults"
    print(f"storm: {storm.answers.total()} requests, {len(rescales)} rescales, {verdict}, {flat}")
    return 0 if verdict == EXACT and not found and rescales else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=Path("build/storm"))
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=int, default=1_000, help="events per second")
    given = parser.parse_args(arguments)
    return run(given.build_dir, given.seconds, given.seed, given.rate)


if __name__ == "__main__":
    sys.exit(main())
