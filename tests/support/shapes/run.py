"""One run of a shape: its job from start to end, the walk through it, and all that is wrong with it."""

from __future__ import annotations

import json
import random
import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from py4j.protocol import Py4JJavaError

from drrs_jobs.waiting import await_until
from harness.cluster import ENDED
from harness.limits import LIMIT_S
from harness.one_jvm import OneJvmCluster
from pyctl.client import Client
from pyctl.errors import Refused, WaitTimeout
from pyctl.follow import follow
from pyctl.model import CombinedRequest, OperatorRequest, Phase, Rescale, RescaleRequest, SubscalePlan, Vertex
from pyctl.planner import PlannerOptions
from pyctl.planning import Wish, propose
from shapes.judging import differences, grouped, miscounted
from shapes.shape import Shape, Step

PAUSE_S = 3.0
RESTORE = "execution.state-recovery.path"
INJECTED = "fails on request"
PEER = "closed the peer exchange: its task fails"
TRACE = 1_500
"""Characters of a stack trace to show."""
WAITING = frozenset({"timers-processing", "processing-window"})
"""Heads whose results come by the clock: a job ends when they are all there."""

_submitting = threading.Lock()


class Wrong(Exception):  # noqa: N818
    """Something that must not be; says what."""


@dataclass
class Output:
    """What came of a run; `wrong` says what must not be, `notes` what is worth knowing."""

    lines: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rescales: int = 0
    jobs: list[str] = field(default_factory=list)


class Run:
    """A shape's job on a cluster. One thread."""

    def __init__(self, cluster: OneJvmCluster, shape: Shape, directory: Path, *, elastic: bool) -> None:
        self.cluster = cluster
        self.shape = shape
        self.elastic = elastic
        self.name = f"shape-{uuid.uuid4().hex[:12]}"
        self.directory = directory / self.name
        self.output = Output()
        self._client = Client(cluster.address, timeout_s=LIMIT_S)
        self._jobs = self.output.jobs
        self._submitted: dict[str, int] = {}
        self._failures = 0
        self._asked: list[str] = []

    @property
    def job(self) -> str:
        """The id of the job that runs now."""
        return self._jobs[-1]

    def carry_out(self) -> Output:
        """From the start to the end; what is wrong is in the output, nothing is raised but for a broken test."""
        try:
            self._submit(None, {})
            self._await_running()
            if self.shape.refusal and self.elastic:
                self._must_be_refused()
            elif self.elastic:
                for step in self.shape.walk:
                    self._let_pass(20)
                    self._step(step)
                self._nothing_under_way()
                self._checkpoints_go_on()
            self._finish()
        except (Wrong, TimeoutError, WaitTimeout, Refused) as error:
            faults = [f"{fault.code}: {fault.message}" for fault in error.faults] if isinstance(error, Refused) else []
            self.output.wrong.append("; ".join(faults) or str(error))
            self.output.wrong += [one[:TRACE] for one in self._exceptions()[:3]]
        except Py4JJavaError as error:
            self.output.wrong.append(f"the job cannot be built: {error.java_exception.toString()}")
        finally:
            self._end()
        return self.output

    # -- the job -----------------------------------------------------------------------------------------------------

    def _submit(self, savepoint: str | None, parallelisms: Mapping[str, int]) -> None:
        options = {
            "drrs.enabled": str(self.elastic).lower(), "drrs.ceiling": "6",
            "drrs.operators": ";".join(self.shape.heads()),
            "restart-strategy.fixed-delay.delay": "50ms",
            "drrs.remote.directory": self.directory.with_name(f"{self.directory.name}-moving").as_uri(),
            **self.shape.options,
        }  # fmt: skip
        if savepoint:
            options[RESTORE] = savepoint
        self._submitted = {uid: parallelisms.get(uid, self.shape.parallelism) for uid in self.shape.heads()}
        body = self.shape.model_dump() | {
            "name": self.name, "output": self.directory.as_uri(), "parallelisms": self._submitted,
        }  # fmt: skip
        with _submitting:
            self._jobs.append(self.cluster.submit_shape(json.dumps(body), options))
        if not self.elastic:
            self.cluster.gates.release(self.name)

    def _await_running(self) -> None:
        def there() -> bool:
            state = self.cluster.state(self.job)
            if state in ENDED:
                raise Wrong(f"the job is {state} too early: {self._exceptions()}")
            tasks = self.cluster.get(f"/jobs/{self.job}")["vertices"]
            return state == "RUNNING" and all(task["status"] in {"RUNNING", "FINISHED"} for task in tasks)

        await_until(there, "all tasks to run", LIMIT_S)

    def _let_pass(self, results: int) -> None:
        """Some results, if there are any to come."""
        wanted = self.cluster.results.count(self.name) + results
        try:
            await_until(lambda: self.cluster.results.count(self.name) >= wanted, "results", PAUSE_S, 0.05)
        except TimeoutError:
            self.output.notes.append("no results between two steps")

    def _finish(self) -> None:
        self.cluster.gates.release(self.name)
        if WAITING & {branch.head for branch in self.shape.branches} or any(one.idle for one in self.shape.sources):
            await_until(self._all_seen, "the heads to see all events", LIMIT_S)
        self.cluster.gates.end(self.name)
        await_until(lambda: self.cluster.state(self.job) in ENDED, "the end of the job", LIMIT_S)
        state = self.cluster.state(self.job)
        if state != "FINISHED":
            raise Wrong(f"the job is {state}: {self._exceptions()}")
        self.output.lines = self._lines()
        self._no_other_failures()
        if self.elastic:
            self._accumulators()

    def _all_seen(self) -> bool:
        """Whether heads that number events have seen all of them, and what comes by the clock has come."""
        if self.cluster.state(self.job) in ENDED:
            raise Wrong(f"the job has ended too early: {self._exceptions()}")
        if self.cluster.gates.seen(self.name) < self._events() * len(self.shape.branches):
            return False
        waiting = [str(i) for i, branch in enumerate(self.shape.branches) if branch.head in WAITING]
        if not waiting:
            return True
        highest: dict[tuple[str, str], int] = {}
        risen: dict[tuple[str, str], int] = {}
        for (lane, key), lines in grouped(self._lines()).items():
            judge, branch, name = lane.split(".")
            if branch in waiting and name == "elements" and judge in "sn":
                highest[branch, key] = len(lines)
            elif branch in waiting and judge == "r" and "-" not in name:
                risen[branch, key] = max(line.number for line in lines)
        return highest == risen

    def _events(self) -> int:
        return sum(one.splits * (one.events // 3 if one.brief else one.events) for one in self.shape.sources)

    def _lines(self) -> list[str]:
        lines = str(self.cluster.results.lines(self.name)).splitlines()
        for file in sorted(self.directory.rglob("*")):
            if file.is_file() and not file.name.startswith("."):
                lines += file.read_text().splitlines()
        return lines

    def _end(self) -> None:
        for job in self._jobs:
            try:
                self.cluster.end(job, alone=False)
                # A JobManager that is shut down waits for minutes for somebody to ask.
                for path in self._asked:
                    await_until(partial(self._answered, path), "the answer to a checkpoint", LIMIT_S)
                self._asked.clear()
            except TimeoutError as error:
                self.output.wrong.append(str(error))
        self.cluster.gates.forget(self.name)
        self._client.close()

    def _answered(self, path: str) -> bool:
        try:
            return bool(self.cluster.get(path)["status"]["id"] == "COMPLETED")
        except Refused as error:
            if error.status == 404:
                return True
            raise

    # -- the walk ----------------------------------------------------------------------------------------------------

    def _step(self, step: Step) -> None:
        heads = [self.shape.heads()[index] for index in step.of]
        wanted = dict(zip(heads, step.to, strict=True))
        if step.checkpoint and self.shape.checkpoints.interval:
            answer = self.cluster.post(f"/jobs/{self.job}/checkpoints", {})
            if answer.ok:
                self._asked.append(f"/jobs/{self.job}/checkpoints/{answer.json()['request-id']}")
        if step.kind == "savepoint":
            self._restore(wanted)
            return
        if step.kind == "crash":
            self._fail()
            self._await_running()
            return
        requests = [self._request(uid, to, step.plan) for uid, to in wanted.items()]
        planned = [request for request in requests if request is not None]
        if step.kind == "together" and len(planned) > 1:
            operators = [
                OperatorRequest(**one.model_dump(include=set(OperatorRequest.model_fields))) for one in planned
            ]
            self._complete([self._begin(CombinedRequest(operators=operators))], planned)
        elif step.kind == "at once":
            begun = [(self._begin(request, busy=True), request) for request in planned]
            done = [(one, request) for one, request in begun if one]
            self._complete([one for one, _ in done], [request for _, request in done])
        elif step.kind in {"abort", "fail"}:
            for request in planned[:1]:
                self._disturb(step, request)
        else:
            for request in planned:
                self._complete([self._begin(request)], [request])

    def _begin(self, request: RescaleRequest | CombinedRequest, *, busy: bool = False) -> str | None:
        """Send it; None if it is refused for a good reason: an input has ended, or (`busy`) a neighbour is rescaled."""
        try:
            return self._client.rescale(self.job, request.model_copy(update={"strategy": self.shape.strategy}))
        except Refused as error:
            faults = {fault.code: fault.message for fault in error.faults}
            ended = any(one.brief for one in self.shape.sources) and "FINISHED" in faults.get("JOB_NOT_RUNNING", "")
            if ended or self._needs_checkpoints(faults) or (busy and set(faults) == {"RESCALE_IN_PROGRESS"}):
                self.output.notes.append(f"refused: {faults}")
                return None
            raise

    def _needs_checkpoints(self, faults: Mapping[str, str]) -> bool:
        """Calls under way are kept in operator state: without checkpoints no subtask of theirs may retire."""
        calls = any(name.startswith("async") for one in self.shape.branches for name in one.chained)
        without = calls and not self.shape.checkpoints.interval
        return without and "takes no checkpoints" in faults.get("NOT_SUPPORTED", "")

    def _follow(self, request_id: str) -> Rescale:
        *_, last = follow(self._client, self.job, request_id, timeout_s=LIMIT_S, interval_s=0.05)
        return last

    def _complete(self, ids: Sequence[str | None], requests: Sequence[RescaleRequest]) -> None:
        for one in ids:
            if one is None:
                return
            status = self._follow(one)
            if status.phase is not Phase.COMPLETED:
                raise Wrong(f"a rescale is {status.phase}: {status.reason}")
            self.output.rescales += 1
        for request in requests:
            self._must_have(request)

    def _must_have(self, request: RescaleRequest) -> None:
        now = next(one for one in self._client.vertices(self.job).vertices if one.vertex_id == request.vertex)
        if list(now.placement) != list(request.placement or []):
            raise Wrong(f"{now.uid} has another placement than asked for: {now.placement}, not {request.placement}")

    def _disturb(self, step: Step, request: RescaleRequest) -> None:
        before = self._vertex_of(request)  # key groups may move before anybody asks again
        one = self._begin(request)
        if one is None:
            return
        wanted = Phase[step.phase]

        def there() -> bool:
            now = self._client.status(self.job, one).phase
            return now.terminal or list(Phase).index(now) >= list(Phase).index(wanted)

        await_until(there, f"phase {wanted}", LIMIT_S, 0.02)
        if step.kind == "abort":
            self.cluster.post(f"/jobs/{self.job}/drrs/rescales/{one}/abort", {})
            status = self._follow(one)
            if status.phase not in {Phase.ABORTED, Phase.COMPLETED}:
                raise Wrong(f"a rescale that was withdrawn is {status.phase}: {status.reason}")
            self.output.notes.append(f"withdrawn in {wanted}: {status.phase}")
            placement = request.placement if status.phase is Phase.COMPLETED else before.placement
            self._must_have(request.model_copy(update={"placement": list(placement or [])}))
            return
        self._fail()
        status = self._follow(one)
        self.output.notes.append(f"failed in {wanted}: {status.request_id} {status.phase}, {status.reason}")
        self._await_running()
        if status.phase not in {Phase.COMPLETED, Phase.FAILED}:
            raise Wrong(f"a rescale in which a task failed is {status.phase}: {status.reason}")
        await_until(lambda: self._client.vertices(self.job).rescale is None, "all rescales to end", LIMIT_S)
        self._must_have(request)

    def _fail(self) -> None:
        """With the next result, if there is one to come."""
        self.cluster.gates.failOnce(self.name)
        try:
            await_until(lambda: not self.cluster.gates.hasStillToFail(self.name), "a task to fail", PAUSE_S, 0.02)
        except TimeoutError:
            if self.cluster.gates.failNoMore(self.name):
                self.output.notes.append("no result to fail with")
                return
        self._failures += 1

    def _restore(self, parallelisms: Mapping[str, int]) -> None:
        before = {uid: self._vertex(uid) for uid in self.shape.heads()}
        submitted = dict(self._submitted)
        savepoint = self.cluster.stop(self.job)
        self._no_other_failures()
        self._failures = 0
        self._submit(savepoint, {**submitted, **parallelisms})
        self._await_running()
        for uid, old in before.items():
            wanted = old.parallelism if self._submitted[uid] == submitted[uid] else self._submitted[uid]
            now = self._vertex(uid).parallelism
            if now != wanted:
                raise Wrong(f"restored with parallelism {now} of {uid}, not {wanted}")

    def _vertex(self, uid: str) -> Vertex:
        found = [one for one in self._client.vertices(self.job).vertices if one.uid == uid]
        if len(found) != 1:
            raise Wrong(f"{len(found)} vertices of the uid {uid}")
        return found[0]

    def _vertex_of(self, request: RescaleRequest) -> Vertex:
        return next(one for one in self._client.vertices(self.job).vertices if one.vertex_id == request.vertex)

    def _request(self, uid: str, parallelism: int, plan: int) -> RescaleRequest | None:
        """None if there is nothing to do."""
        vertex = self._vertex(uid)
        if not vertex.supported:
            raise Wrong(f"{uid} cannot be rescaled: {vertex.reason}")
        if plan:
            return drawn_placement(vertex, parallelism, random.Random(f"{plan}/{uid}/{vertex.placement}"))
        if parallelism == vertex.parallelism:
            return None
        proposal = propose(self._client, self.job, uid, Wish(parallelism), PlannerOptions())
        if proposal.plan is None:
            raise Wrong(f"no plan for {uid} to {parallelism}")
        return proposal.request

    # -- what must be ------------------------------------------------------------------------------------------------

    def _must_be_refused(self) -> None:
        self._let_pass(20)
        vertices = self._client.vertices(self.job)
        reasons = [f"{one.uid}: {one.reason}" for one in vertices.vertices if not one.supported]
        reasons += [f"job: {vertices.reason}"] if vertices.reason else []
        if not any(self.shape.refusal in reason for reason in reasons):
            raise Wrong(f"not refused because of {self.shape.refusal}, but: {reasons}")
        request = RescaleRequest(vertex=self.shape.heads()[-1], parallelism=self.shape.parallelism + 1)
        try:
            self._client.rescale(self.job, request)
        except Refused as error:
            faults = {fault.code: fault.message for fault in error.faults}
            if not faults.keys() & {"NOT_SUPPORTED", "NOT_ELASTIC"}:
                raise Wrong(f"refused, but by other names: {faults}") from error
            self.output.notes.append(f"refused: {faults}")
        else:
            raise Wrong(f"a rescale is accepted, although it is refused: {reasons}")

    def _nothing_under_way(self) -> None:
        vertices = self._client.vertices(self.job)
        if vertices.rescale is not None:
            raise Wrong(f"the rescale {vertices.rescale} is left behind")

    def _checkpoints_go_on(self) -> None:
        if not self.shape.checkpoints.interval:
            return
        wanted = self._completed_checkpoints() + 1 + self.shape.checkpoints.concurrent
        await_until(lambda: self._completed_checkpoints() >= wanted, "checkpoints after the rescales", LIMIT_S, 0.05)

    def _completed_checkpoints(self) -> int:
        return int(self.cluster.get(f"/jobs/{self.job}/checkpoints")["counts"]["completed"])

    def _exceptions(self) -> list[str]:
        found = self.cluster.get(f"/jobs/{self.job}/exceptions")["exceptionHistory"]["entries"]
        with_others = [[one, *one.get("concurrentExceptions", [])] for one in found]
        return ["\nand ".join(f"{one['taskName']}: {one['stacktrace']}" for one in several) for several in with_others]

    def _no_other_failures(self) -> None:
        injected = 0
        for one in self._exceptions():
            # Which of the tasks that fail with one of them is heard of first is open.
            if INJECTED in one or (PEER in one and injected < self._failures):
                injected += 1
                self.output.notes += [] if INJECTED in one else [f"heard of from a peer only: {one[:TRACE]}"]
            else:
                self.output.wrong.append(f"a task has failed: {one[:TRACE]}")
        if injected != self._failures:
            self.output.wrong.append(f"{injected} failures that were asked for, not {self._failures}")

    def _accumulators(self) -> None:
        # What an attempt has counted before a failure, or a job before its savepoint, is gone on stock Flink as well.
        if self.shape.fails() or len(self._jobs) > 1:
            return
        found = {
            one["name"]: one["value"]
            for one in self.cluster.get(f"/jobs/{self.job}/accumulators")["user-task-accumulators"]
        }
        self.output.wrong += miscounted(found, [branch.head for branch in self.shape.branches], self._events())


def drawn_placement(vertex: Vertex, parallelism: int, dice: random.Random) -> RescaleRequest | None:
    """A rescale to so many subtasks, whichever they are, with some key groups on other ones; None if all stay."""
    owners = sorted(dice.sample(range(vertex.ceiling), parallelism))
    placement = [
        owner if owner in owners and dice.random() < 0.5 else dice.choice(owners) for owner in vertex.placement
    ]
    groups = dice.sample(range(vertex.max_parallelism), parallelism)
    for group, owner in zip(groups, owners, strict=True):
        placement[group] = owner
    moves: dict[tuple[int, int], list[int]] = {}
    for group, (before, after) in enumerate(zip(vertex.placement, placement, strict=True)):
        if before != after:
            moves.setdefault((before, after), []).append(group)
    if not moves:
        return None
    subscales = []
    for (before, after), moved in moves.items():
        dice.shuffle(moved)
        while moved:
            size = dice.randint(1, len(moved))
            part, moved = moved[:size], moved[size:]
            subscales.append(SubscalePlan.model_validate({"from": before, "to": after, "key_groups": part}))
    dice.shuffle(subscales)
    return RescaleRequest(
        vertex=vertex.vertex_id, parallelism=parallelism, placement=placement, subscales=subscales
    )  # fmt: skip


def compared(reference: Output, output: Output, shape: Shape) -> list[str]:
    """All that is wrong with a run, beside what the reference has put out."""
    if output.wrong:
        return output.wrong
    ordered = {str(index): shape.ordered(index) for index in range(len(shape.branches))}
    return differences(reference.lines, output.lines, ordered)


def as_json(shape: Shape) -> str:
    """What `make fuzz ONLY=..` takes."""
    return shape.model_dump_json(exclude_defaults=True)


def reference_of(shape: Shape) -> Shape:
    """The job of a shape, left alone."""
    return shape.model_copy(update={"walk": (), "slow": 0})
