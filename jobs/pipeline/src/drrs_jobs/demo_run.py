"""Drive the two runs of the demo on real clusters: the live rescale, and stop-with-savepoint and restart."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyctl import restarting
from pyctl.client import Client
from pyctl.errors import Refused
from pyctl.local_cluster import LocalCluster
from pyctl.submission import Submission
from pyctl.whole_job import Course, Ended

from drrs_jobs import job_run
from drrs_jobs.checkpoints import Checkpoints, checkpoints
from drrs_jobs.figures import Rescale
from drrs_jobs.machine import CpuMeter, CpuUse, load_average
from drrs_jobs.ownership import Owners, Ownership, at_present, at_start
from drrs_jobs.runs import Mark
from drrs_jobs.sampler import sampled
from drrs_jobs.tail import LatencyTail
from drrs_jobs.waiting import await_until

OPERATOR = "count"
_OPERATOR_NAME = "running count"
_SAMPLE_MS = 8_000
_STEADY_WAIT_MS = 12_000
_STATE_TIMEOUT_S = 90.0
_PHASES = {
    restarting.STOPPING: "stop with savepoint",
    restarting.SUBMITTING: "submit",
    restarting.RESTORING: "deploy and restore",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The size of the demo. ``seconds`` is the length of the schedule, ``steady_s`` the least time before a rescale.

    ``probe_mebibytes`` of filler measure the raw throughput of the peer exchange before state moves; none by default:
    they hold up the records that share the processors with them.
    """

    rate: int = 1_150
    seconds: int = 75
    steady_s: int = 22
    service_us: int = 1_000
    keys: int = 52_000
    ballast_bytes: int = 4_096
    before: int = 2
    after: int = 4
    checkpoint_ms: int = 5_000
    probe_mebibytes: int = 0


@dataclass(frozen=True, slots=True)
class RawRun:
    """What a run left behind besides its records in ``output``; ``status`` is the rescale's status document."""

    output: Path
    rescale: Rescale
    marks: tuple[Mark, ...]
    state_bytes: int
    cpu: CpuUse
    load: tuple[float, float]
    busy_before: tuple[float, ...]
    busy_after: tuple[float, ...]
    notes: tuple[str, ...]
    flink_version: str
    plugin: str | None = None
    checkpoints: Checkpoints | None = None
    status: Mapping[str, Any] | None = None
    ownership: Ownership | None = None


@dataclass(frozen=True, slots=True)
class Demo:
    """Where a run of the demo finds its inputs, and how it tells what it does."""

    settings: Settings
    jar: Path
    replay: Path
    say: Callable[[str], None]

    def arguments(self, output: Path, parallelism: int | str) -> list[str]:
        """Return the job's arguments; only the parallelism differs between the parts of the demo."""
        settings = self.settings
        options = {
            "query": OPERATOR,
            "replay": self.replay.resolve(),
            "output": output.resolve(),
            "source-parallelism": settings.before,
            "parallelism": parallelism,
            "service-us": settings.service_us,
            "preload-keys": settings.keys,
            "ballast-bytes": settings.ballast_bytes,
            "checkpoint-interval-ms": settings.checkpoint_ms,
        }
        return [text for name, value in options.items() for text in (f"--{name}", str(value))]

    def live(self, folder: Path) -> RawRun:
        """Run with the plug-in and rescale the running job by ``pyctl``."""
        settings = self.settings
        elastic = {
            "drrs.enabled": "true",
            "drrs.operators": OPERATOR,
            "drrs.ceiling": str(settings.after),
            "drrs.exchange.probe-mebibytes": str(settings.probe_mebibytes),
        }
        load = load_average()
        with self._cluster(folder, stock=False) as cluster:
            started = self._start(cluster, folder, elastic, load)
            client, job = started.client, started.job
            self.say(f"rescaling {settings.before} -> {settings.after} live")
            status = rescale_live(cluster, client, job, settings.after)
            self.say(f"{status['phase'].lower()} after {status['duration_ms']} ms; the run goes on")
            busy_after = started.finish(settings, elastic=True)
            rescale = Rescale.from_status(dict(status))
            overview = client.overview()
            raw = started.left(
                rescale,
                rescale_marks(status),
                busy_after,
                checkpoints=checkpoints(client, job, rescale.requested_at, rescale.operation_end),
                status=status,
                plugin=f"{overview.version} (build {overview.build})",
                ownership=ownership_of(status, at_start(settings.before), started.owners) if started.owners else None,
            )
        return raw

    def restart(self, folder: Path, *, stock: bool = False) -> RawRun:
        """Run without elasticity, stop with a savepoint, restart from it with more subtasks."""
        settings = self.settings
        options = {"drrs.enabled": "false"}
        load = load_average()
        with self._cluster(folder, stock=stock) as cluster:
            started = self._start(cluster, folder, options, load)
            client = started.client
            given = self.arguments(started.output, "{parallelism}")
            submission = Submission(jar=self.jar, arguments=given, options=options)
            wanted = [(_OPERATOR_NAME, settings.after)]
            # Over REST and with the jar there already, so that no command line's start is held against the restart.
            with restarting.prepared(client, started.job, wanted, submission) as request:
                self.say(f"stopping with a savepoint, restarting with {settings.after}")
                ended = restarting.restart(client, request, Course())
            started.job = ended.job_id
            self.say(f"runs again after {ended.duration_ms} ms; the run goes on")
            busy_after = started.finish(settings)
            requested, running = ended.marks[0].at, ended.marks[-1].at
            ownership = Ownership(at_start(settings.before), at_start(settings.after), requested, running, stopped=True)
            raw = started.left(
                Rescale("restart", requested, running), restart_marks(ended), busy_after, ownership=ownership
            )
        return raw

    @contextmanager
    def _cluster(self, folder: Path, *, stock: bool) -> Iterator[LocalCluster]:
        """A cluster in a folder of its own, which is kept if the run fails: its logs tell why."""
        self.say(f"starting a cluster: 1 JobManager, {self.settings.after} TaskManagers")
        options = {
            "taskmanager.memory.process.size": "1200m",
            "web.refresh-interval": "50 ms",
            "web.checkpoints.history": "100",
            "metrics.fetcher.update-interval": "500 ms",
            # At this rate buffers are never full, so the default of 100 ms would be most of the steady latency.
            "execution.buffer-timeout.interval": "10 ms",
        }
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with LocalCluster(
            folder / "cluster", task_managers=self.settings.after, slots=1, stock=stock, options=options
        ) as cluster:
            pids = {process.name: process.pid for process in cluster.state.processes}
            with sampled(folder / "output", pids):
                yield cluster
        shutil.rmtree(folder / "cluster")

    def _start(self, cluster: LocalCluster, folder: Path, options: Mapping[str, str], load: float) -> _Started:
        settings, output = self.settings, folder / "output"
        client = Client(cluster.rest_address, timeout_s=60)
        dynamic = [f"-D{key}={value}" for key, value in options.items()]
        cluster.flink("run", "-d", *dynamic, str(self.jar), *self.arguments(output, settings.before))
        job = job_run.only_job(client)
        job_run.await_running(client, job, {_OPERATOR_NAME: settings.before})
        self.say(f"job {job} runs; making {settings.keys * settings.ballast_bytes / 1e6:.0f} MB of state")
        tail = LatencyTail(output)
        await_until(lambda: _ran(client, job, tail, 1), "the first output", _STATE_TIMEOUT_S, 0.2)
        cpu = CpuMeter([process.pid for process in cluster.state.processes])
        self.say("state is there, events flow; waiting for a steady latency and a checkpoint")
        sampling_at = settings.steady_s * 1_000 - _SAMPLE_MS
        await_until(lambda: _ran(client, job, tail, sampling_at), "the run to go on", settings.seconds, 0.2)
        sample = _BusySample(client, job)
        earliest = settings.steady_s * 1_000
        # A busy machine may never be steady; then the run goes on and the report says so.
        await_until(
            lambda: (
                _ran(client, job, tail, earliest)
                and (tail.is_steady(earliest) or tail.running_ms() >= earliest + _STEADY_WAIT_MS)
            ),
            "a steady latency",
            settings.seconds,
            0.2,
        )
        notes = () if tail.is_steady(earliest) else ("latency was not steady before the request",)
        size = await_until(
            lambda: checkpoints(client, job).state_bytes, "a completed checkpoint", settings.checkpoint_ms / 1000 * 4
        )
        self.say(f"{'not steady' if notes else 'steady'}: p99 {tail.p99(5_000)} ms, state {size / 1e6:.0f} MB")
        version = client.flink_version()
        return _Started(client, job, output, tail, size, sample.shares(), cpu, load, version, notes)


@dataclass(slots=True)
class _Started:
    """A run under way; ``job`` changes with a restart."""

    client: Client
    job: str
    output: Path
    tail: LatencyTail
    state_bytes: int
    busy_before: tuple[float, ...]
    cpu: CpuMeter
    load: float
    flink_version: str
    notes: tuple[str, ...]
    owners: Owners = ()

    def left(self, rescale: Rescale, marks: tuple[Mark, ...], busy_after: tuple[float, ...], **of_live: Any) -> RawRun:
        """What the run leaves; to be called while the cluster still runs."""
        return RawRun(
            output=self.output,
            rescale=rescale,
            marks=marks,
            state_bytes=self.state_bytes,
            cpu=self.cpu.use(),
            load=(self.load, load_average()),
            busy_before=self.busy_before,
            busy_after=busy_after,
            notes=self.notes,
            flink_version=self.flink_version,
            **of_live,
        )

    def finish(self, settings: Settings, *, elastic: bool = False) -> tuple[float, ...]:
        """Wait for the end of the schedule and of the job; return the subtasks' busy shares shortly before.

        The owners of an ``elastic`` job's key groups are asked for last of all: that takes the tasks some time.
        """
        end = settings.seconds * 1_000
        limit = settings.seconds + 120.0
        await_until(
            lambda: _ran(self.client, self.job, self.tail, end - _SAMPLE_MS - 1_000), "the schedule's end", limit, 0.2
        )
        sample = _BusySample(self.client, self.job)
        await_until(lambda: _ran(self.client, self.job, self.tail, end - 1_000), "the schedule's end", limit, 0.2)
        shares = sample.shares()
        if elastic:
            with suppress(Refused):  # The job may have ended by now: its owners are not drawn then.
                self.owners = at_present(self.client, self.job)
        job_run.await_finished(self.client, self.job, limit)
        return shares


class _BusySample:
    """Busy share of each subtask of the operator between two moments."""

    def __init__(self, client: Client, job: str) -> None:
        self._client, self._job = client, job
        self._begin, self._at = job_run.busy_ms(client, job, _OPERATOR_NAME), time.monotonic()

    def shares(self) -> tuple[float, ...]:
        end, elapsed = job_run.busy_ms(self._client, self._job, _OPERATOR_NAME), (time.monotonic() - self._at) * 1000
        return tuple((end[n] - self._begin.get(n, 0.0)) / elapsed for n in sorted(end))


def _ran(client: Client, job: str, tail: LatencyTail, ms: int) -> bool:
    """Whether that much of the schedule has come out; raises if the job has failed in the meantime."""
    job_run.has_finished(client, job)
    tail.poll()
    return tail.running_ms() >= ms


def rescale_live(cluster: LocalCluster, client: Client, job: str, parallelism: int) -> dict[str, Any]:
    """Call ``pyctl`` as a user would and return the status document of the rescale."""
    command = [sys.executable, "-m", "pyctl", "rescale", job, OPERATOR, "-p", str(parallelism), "--wait", "--json"]
    done = subprocess.run(
        [*command, "--cause", "demo", "-m", cluster.rest_address], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"pyctl rescale ended with {done.returncode}: {done.stdout.strip()} {done.stderr.strip()}")
    request_id = json.loads(done.stdout)["request_id"]
    return dict(client.get(f"/jobs/{job}/drrs/rescales/{request_id}"))


def rescale_marks(status: Mapping[str, Any]) -> tuple[Mark, ...]:
    """Return the phases of a rescale, each until the next one begins; the last, final one has no length."""
    phases: Sequence[Mapping[str, Any]] = status["phases"]
    return tuple(
        Mark(str(phase["phase"]), int(phase["at"]), int(following["at"])) for phase, following in pairwise(phases)
    )


def restart_marks(ended: Ended) -> tuple[Mark, ...]:
    """Return the phases of a restart, each until the next one begins, in words."""
    return tuple(Mark(_PHASES[mark.phase], mark.at, following.at) for mark, following in pairwise(ended.marks))


def ownership_of(status: Mapping[str, Any], before: Owners, after: Owners) -> Ownership:
    """Return who owned what before and after a rescale: it changes while it is ``MIGRATING``."""
    (moving,) = (mark for mark in rescale_marks(status) if mark.label == "MIGRATING")
    return Ownership(before, after, moving.begin, moving.end)
