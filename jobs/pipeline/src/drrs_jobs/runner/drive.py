"""Drive one run of a workload under one strategy: start, wait until it is steady, rescale, wait for the end."""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from confluent_kafka import KafkaException
from pyctl import adapting, restarting
from pyctl.client import Client
from pyctl.errors import PyctlError, Refused
from pyctl.execution import Execution
from pyctl.model import Phase
from pyctl.planning import Manner
from pyctl.rescaling import rescale
from pyctl.submission import Submission
from pyctl.whole_job import Course, Ended

from drrs_jobs import job_run
from drrs_jobs.checkpoints import checkpoints
from drrs_jobs.compare import EXACT, compare_run
from drrs_jobs.figures import Rescale
from drrs_jobs.generator import Event
from drrs_jobs.job_run import JobEndedError
from drrs_jobs.kafka_replay import Topic
from drrs_jobs.machine import CpuMeter, CpuUse, java_version, load_average
from drrs_jobs.ownership import Owners, Ownership, at_present, at_start
from drrs_jobs.replay import Replay
from drrs_jobs.runner.feeding import Feeding
from drrs_jobs.runner.marks import ownership_of, rescale_marks, restart_marks
from drrs_jobs.runner.places import Place, Places
from drrs_jobs.runner.recorded import Recorded, Step
from drrs_jobs.runner.strategies import RESTART, Strategy
from drrs_jobs.sampler import sampled
from drrs_jobs.tail import LatencyTail
from drrs_jobs.waiting import await_until
from drrs_jobs.workloads.model import Workload
from drrs_jobs.workloads.rules import steady_wait_s

_SAMPLE_MS = 8_000
_STEADY_PERIOD_MS = 5_000
"""Latency is compared in two such periods before a rescale, shorter ones where it comes early."""

_FIRST_MS = 1_000
"""What comes out at the very first is in no such period."""

_STATE_TIMEOUT_S = 180.0
_RESCALE_TIMEOUT_S = 600.0
_LAST_WINDOWS_S = 60.0
WARM_UPS = 5
"""Rescales of a run that is not recorded, out and in by turns: compilers are busy for several with what one brings."""


@dataclass(frozen=True, slots=True)
class Driver:
    """Where the runs of a workload find what they need, and how they go."""

    workload: Workload
    jar: Path
    say: Callable[[str], None]
    places: Places
    replay: Path | None = None
    kafka: str | None = None
    """Address of the brokers, for a workload whose events come from there."""

    def run(self, strategy: Strategy, folder: Path, events: list[Event]) -> Recorded:
        """Run it in a folder that is emptied first, and compare its output with the reference over ``events``."""
        began, load = time.monotonic(), load_average()
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "output").mkdir(parents=True)
        with ExitStack() as stack:
            place = stack.enter_context(self.places.of(self.workload, strategy, folder))
            if place.cold:
                self._warm_up(place, strategy, folder / "warm-up")
            stack.enter_context(sampled(folder / "output", place.pids or {}))
            running = self._start(place, strategy, folder)
            try:
                steps = [self._step(running, strategy, number) for number in range(len(self.workload.rescales))]
                busy_after, cpu, owners = self._finish(running, strategy)
                oracle = self._judge(running, folder / "output", events)
                steps = self._with_owners(steps, strategy, owners)
                plugin = _plugin(running.client) if strategy.live else None
            finally:
                running.leave()
        return Recorded(
            strategy=strategy.label, oracle=oracle, seconds=round(time.monotonic() - began, 1), steps=tuple(steps),
            state_bytes=running.state_bytes, cpu=cpu, steady_cpu=running.steady_cpu, load=(load, load_average()),
            busy_before=running.busy_before, busy_after=busy_after,
            flink_version=running.flink_version, java=java_version(), plugin=plugin,
            notes=tuple(running.notes),
        )  # fmt: skip

    def arguments(self, output: Path, parallelism: int | str, topic: Topic | None = None) -> list[str]:
        """Return the job's arguments; only output, parallelism and the name of the topic differ between runs."""
        workload = self.workload
        options: dict[str, object] = {
            "query": workload.query,
            "output": output.resolve(),
            "name": f"bench-{workload.name}",
            "source-parallelism": workload.source_parallelism,
            "parallelism": parallelism,
            "max-parallelism": workload.operator.key_groups,
            "service-us": workload.operator.service_us,
            "checkpoint-interval-ms": workload.checkpoints.interval_s * 1_000,
            "unaligned": workload.checkpoints.unaligned,
        }
        if topic is not None:
            options |= {"kafka": topic.kafka, "kafka-topic": topic.name, "events": workload.total_events}
        elif workload.events != "generated":
            assert self.replay is not None
            options["replay"] = self.replay.resolve()
        else:
            rate = workload.rate
            options |= {
                "mode": "mixed", "seed": workload.seed, "events": workload.total_events,
                "rate": rate.events_per_second,
            }  # fmt: skip
            if rate.shape == "steps":
                pairs = (f"{step.events_per_second},{step.seconds * 1_000}" for step in rate.steps)
                options |= {"rate-shape": rate.shape, "rate-steps": ",".join(pairs)}
            elif rate.shape != "constant" and rate.other and rate.period_s:
                options |= {"rate-shape": rate.shape, "rate-2": rate.other, "rate-period-ms": rate.period_s * 1_000}
        if workload.state.keys:
            options |= {"preload-keys": workload.state.keys, "ballast-bytes": workload.state.value_bytes}
            options |= {"ballast-spread": True} if workload.state.spread else {}
        if workload.keys:
            options |= {"keys": workload.keys.count, "zipf-percent": workload.keys.zipf_percent}
        if workload.window:
            options |= {"hop-size-ms": workload.window.size_ms, "hop-slide-ms": workload.window.slide_ms}
        if workload.held:
            options["hold"] = True
        return [text for name, value in options.items() for text in (f"--{name}", _text(value))]

    def _warm_up(self, place: Place, strategy: Strategy, folder: Path) -> None:
        """Run the first rescale there and back a few times and keep nothing: what is recorded meets JVMs that know it.

        As many as the schedule has time for; a restart once. It does not wait for a steady latency, which a cold
        cluster does not have.
        """
        self.say("a run that is not recorded, as the cluster is cold")
        (folder / "output").mkdir(parents=True)
        first, before = self.workload.rescales[0], self.workload.operator.parallelism
        # A cold rescale takes longer than a short schedule has room for; what this run is for has happened then.
        with suppress(PyctlError, JobEndedError, RuntimeError, TimeoutError):
            running = self._start(place, strategy, folder)
            try:
                await_until(
                    lambda: running.ran(first.after_s * 1_000), "the run to go on", self.workload.seconds + 60.0, 0.2
                )
                self._rescale(running, strategy, 0, ())
                for number in range(1, WARM_UPS if strategy.live else 1):
                    self._live(running, strategy, *((first.to, before) if number % 2 else (before, first.to)), ())
            finally:
                running.leave()
        shutil.rmtree(folder)

    def _start(self, place: Place, strategy: Strategy, folder: Path) -> _Running:
        workload, client = self.workload, place.client
        operator = workload.operator
        options = {"drrs.enabled": "false"}
        if strategy.live:
            options = {
                "drrs.enabled": "true", "drrs.operators": operator.uid, "drrs.ceiling": str(workload.most_subtasks)
            }  # fmt: skip
        output, topic = folder / "output", self._topic()
        jar, job = client.upload_jar(self.jar), uuid.uuid4().hex
        given = self.arguments(output, "{parallelism}", topic)
        submission = Submission(jar_id=jar, arguments=given, options=options)
        running = _Running(place, job, LatencyTail(output, slide_ms=workload.slide_ms), submission)
        try:
            if topic is not None:
                topic.create(workload.replay.parts)
                running.topic = topic
            client.run_jar(jar, self.arguments(output, operator.parallelism, topic), options, job_id=job)
            job_run.await_running(client, job, {operator.name: operator.parallelism})
            if topic is not None:
                self.say(f"writing to the topic {topic.name} from now on")
                running.feeding = Feeding.begin(topic, workload.replay, folder / "kafka-replay.out")
            self.say(f"job {job} runs; making {workload.state.target_bytes / 1e6:.0f} MB of state")
            await_until(lambda: running.ran(1), "the first output", _STATE_TIMEOUT_S, 0.2)
            running.cpu = running.meter()
            running.flink_version = client.flink_version()
            if place.pids is None:
                running.notes.append("on a cluster that was given: the run's own load is not told from that of others")
        except BaseException:
            running.leave()
            raise
        return running

    def _topic(self) -> Topic | None:
        """Name the topic of a run, if its events come from one: each has its own, with nothing of others in it."""
        if self.workload.events != "kafka":
            return None
        assert self.kafka is not None
        return Topic(self.kafka, f"{self.workload.name}-{uuid.uuid4().hex[:8]}")

    def _step(self, running: _Running, strategy: Strategy, number: int) -> Step:
        """Wait until latency is steady, rescale, and return what is known of it."""
        workload, operator, client = self.workload, self.workload.operator, running.client
        earliest = workload.rescales[number].after_s * 1_000
        if number == 0:
            await_until(
                lambda: running.ran(max(earliest - _SAMPLE_MS, 1)), "the run to go on", workload.seconds + 60.0, 0.2
            )
            sample, steady = _BusySample(client, running.job, operator.name), running.meter()
        # A busy machine may never be steady; then the run goes on and the report says so.
        tail = running.tail
        period = min(_STEADY_PERIOD_MS, (earliest - _FIRST_MS) // 2)
        latest = earliest + steady_wait_s(workload, number) * 1_000
        await_until(
            lambda: running.ran(earliest) and (tail.is_steady(earliest, period) or tail.running_ms() >= latest),
            "a steady latency",
            workload.seconds + 60.0,
            0.2,
        )
        notes = () if tail.is_steady(earliest, period) else ("latency was not steady before the request",)
        if number == 0:
            running.busy_before, running.steady_cpu = sample.shares(), steady.use()
            running.state_bytes = await_until(
                lambda: checkpoints(client, running.job).state_bytes,
                "a completed checkpoint",
                workload.checkpoints.interval_s * 4 + 30,
            )
        self.say(f"{'not steady' if notes else 'steady'}: p99 {tail.p99(period)} ms")
        return self._rescale(running, strategy, number, notes)

    def _rescale(self, running: _Running, strategy: Strategy, number: int, notes: tuple[str, ...]) -> Step:
        """Rescale now, and return what is known of it."""
        operator, step = self.workload.operator, self.workload.rescales[number]
        before = self.workload.rescales[number - 1].to if number else operator.parallelism
        self.say(f"{before} -> {step.to}")
        if strategy.live:
            return self._live(running, strategy, before, step.to, notes)
        ended = self._whole_job(running, strategy, step.to)
        self.say(f"runs again after {ended.duration_ms} ms; the run goes on")
        began, runs = ended.marks[0].at, ended.marks[-1].at
        groups = operator.key_groups
        return Step(
            before, step.to, Rescale(strategy.label, began, runs), restart_marks(ended), notes=notes,
            ownership=Ownership(at_start(before, groups), at_start(step.to, groups), began, runs, stopped=True),
        )  # fmt: skip

    def _live(self, running: _Running, strategy: Strategy, before: int, after: int, notes: tuple[str, ...]) -> Step:
        client, job = running.client, running.job
        ended = rescale(
            Execution(client), job, [(self.workload.operator.uid, after)],
            Manner(strategy.name, "bench", dict(strategy.options)), timeout_s=_RESCALE_TIMEOUT_S,
        )  # fmt: skip
        last = ended.last
        if last.phase is not Phase.COMPLETED:
            raise RuntimeError(f"the rescale to {after} with {strategy.label} ended as {last.phase}: {last.reason}")
        status = dict(client.get(f"/jobs/{job}/drrs/rescales/{last.request_id}"))
        self.say(f"completed after {status['duration_ms']} ms; the run goes on")
        found = Rescale.from_status(status)
        counted = checkpoints(client, job, found.requested_at, found.operation_end)
        return Step(before, after, found, rescale_marks(status), counted, status, notes=notes)

    def _whole_job(self, running: _Running, strategy: Strategy, after: int) -> Ended:
        client, wanted = running.client, [(self.workload.operator.name, after)]
        if strategy.name == RESTART:
            # Over REST and with the jar there already, so that no command line's start is held against the restart.
            with restarting.prepared(
                client, running.job, wanted, running.submission, options=strategy.options
            ) as request:
                ended = restarting.restart(client, request, Course(_RESCALE_TIMEOUT_S))
        else:
            prepared = adapting.prepare(client, running.job, wanted, options=strategy.options)
            ended = adapting.adapt(client, prepared, Course(_RESCALE_TIMEOUT_S))
        running.job = ended.job_id
        return ended

    def _finish(self, running: _Running, strategy: Strategy) -> tuple[tuple[float, ...], CpuUse, Owners]:
        """Wait for the end of the schedule; return the subtasks' busy shares before it, CPU use and owners.

        The owners of a live job's key groups are asked for last of all: that takes the tasks some time.
        """
        end, limit = self.workload.seconds * 1_000, self.workload.seconds + 180.0
        client = running.client
        owners: Owners = ()
        await_until(lambda: running.ran(end - _SAMPLE_MS - 1_000), "the schedule's end", limit, 0.2)
        sample = _BusySample(client, running.job, self.workload.operator.name)
        await_until(lambda: running.ran(end - 1_000), "the schedule's end", limit, 0.2)
        shares, cpu = sample.shares(), running.cpu.use()
        if strategy.live:
            with suppress(Refused):  # The job may have ended by now: its owners are not drawn then.
                owners = at_present(client, running.job)
        return shares, cpu, owners

    def _judge(self, running: _Running, output: Path, events: list[Event]) -> str:
        """Wait for the last results and return ``exact`` or what differs."""
        workload = self.workload
        options = workload.reference_options()
        if not workload.held:
            job_run.await_finished(running.client, running.job, workload.seconds + 180.0)
            return compare_run(workload.query, events, output, **options)
        if running.topic is not None:
            # A checkpoint after the last event: what comes out of the events is there, or in a window still.
            await_until(
                lambda: running.has_read(workload.replay),
                f"the job to read all of the topic {running.topic.name}, by its checkpoints",
                workload.seconds + 180.0,
                1.0,
            )
        verdict, until = "", time.monotonic() + _LAST_WINDOWS_S
        while verdict != EXACT and time.monotonic() < until:
            job_run.has_finished(running.client, running.job)
            time.sleep(2)  # what a window of processing time has comes when its time is over
            verdict = compare_run(workload.query, events, output, **options)
        return verdict

    def _with_owners(self, steps: list[Step], strategy: Strategy, owners: Owners) -> list[Step]:
        """Return the steps with who owned what; of several live ones only the last owners are known."""
        if not owners or len(steps) != 1 or not strategy.live:
            return steps
        (only,) = steps
        assert only.status is not None
        before = at_start(only.before, self.workload.operator.key_groups)
        moved = ownership_of(only.status, before, owners)
        return [replace(only, ownership=moved)]


@dataclass(slots=True)
class _Running:
    """A run under way; ``job`` changes with a restart."""

    place: Place
    job: str
    tail: LatencyTail
    submission: Submission
    cpu: CpuMeter = field(default_factory=CpuMeter)
    steady_cpu: CpuUse | None = None
    state_bytes: int = 0
    busy_before: tuple[float, ...] = ()
    flink_version: str = ""
    notes: list[str] = field(default_factory=list)
    topic: Topic | None = None
    feeding: Feeding | None = None

    def meter(self) -> CpuMeter:
        """Begin to measure what the run takes of the processors, and what others do."""
        return self.place.meter(None if self.feeding is None else self.feeding.session)

    @property
    def client(self) -> Client:
        """Of the cluster on which it runs."""
        return self.place.client

    def ran(self, ms: int) -> bool:
        """Whether that much of the schedule has come out, or nothing more comes; raises if the job has failed."""
        if self.feeding is not None:
            self.feeding.check()
        finished = job_run.has_finished(self.client, self.job)
        self.tail.poll()
        return finished or self.tail.running_ms() >= ms

    def has_read(self, replay: Replay) -> bool:
        """Whether a checkpoint says that all of the topic has been read; raises if the job has failed."""
        self.ran(0)
        assert self.topic is not None
        with suppress(KafkaException):  # who does not answer now is asked again
            return self.topic.committed(*range(replay.parts)) == replay.preload_keys + replay.events
        return False

    def leave(self) -> None:
        """Let the cluster be as it was: it may be used for other things than this run."""
        with suppress(PyctlError):
            if not self.client.job(self.job).ended:
                self.client.cancel(self.job)
                await_until(lambda: self.client.job(self.job).ended, "the job to be gone", 60.0)
        with suppress(PyctlError):
            if self.submission.jar_id is not None:
                self.client.delete_jar(self.submission.jar_id)
        if self.feeding is not None:
            self.feeding.end()
        if self.topic is not None:
            with suppress(KafkaException, TimeoutError):
                self.topic.delete()


class _BusySample:
    """Busy share of each subtask of the operator between two moments."""

    def __init__(self, client: Client, job: str, operator: str) -> None:
        self._client, self._job, self._operator = client, job, operator
        self._begin = job_run.task_times(client, job, operator)

    def shares(self) -> tuple[float, ...]:
        """Return the shares since it was made, of those subtasks of which Flink has told them.

        A job that has fallen behind its schedule may come to its end in one leap: then there are none.
        """
        end = job_run.task_times(self._client, self._job, self._operator)
        shares = (end[n].share_since(self._begin.get(n), _SAMPLE_MS / 2) for n in sorted(end))
        return tuple(share for share in shares if share is not None)


def _plugin(client: Client) -> str:
    overview = client.overview()
    return f"{overview.version} (build {overview.build})"


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
