"""One run: a job, a rescale, a fault in it; the end, the output, and what is left over."""

from __future__ import annotations

import json
import signal
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from chaos.case import TARGETS, Case, Victim
from chaos.cluster import ChaosCluster
from chaos.faults import inject
from chaos.leaks import keep_heaps, leaked
from chaos.probe import ask, job_state, vertex
from chaos.verdict import Verdict, judge
from drrs_jobs.compare import EXACT
from drrs_jobs.waiting import await_until
from harness.job import Job, running
from harness.plans import begin, body, planned
from pyctl.errors import NotReachable, Refused
from pyctl.local_cluster.process import JvmProcess
from pyctl.model import Phase, Vertex
from pyctl.planner import PlannerOptions
from pyctl.rebalancing import RebalanceWish, propose_rebalance

RECORDS_BEFORE = 1_500
PHASE_LIMIT_S = 60.0
HEAL_LIMIT_S = 90.0
SETTLE_LIMIT_S = 120.0
_ORDER = (Phase.PLANNED, Phase.PROVISIONING, Phase.MIGRATING, Phase.RETIRING, Phase.COMPLETED)
_LATE = {Phase.ABORTING, Phase.ABORTED, Phase.RETIRING, Phase.COMPLETED}


@dataclass(frozen=True)
class Outcome:
    """What became of a run. `seen`: the phase in which the fault came; `ended`: how the rescale ended first."""

    case: Case
    seen: Phase | None
    ended: str
    attempts: int
    verdict: Verdict
    left: Mapping[str, int]
    seconds: float
    trouble: str = ""

    @property
    def leaked(self) -> int:
        """How many things are left over."""
        return sum(self.left.values())

    @property
    def good(self) -> bool:
        """All came to its end, exactly, and nothing is left."""
        return not self.trouble and self.verdict.words == EXACT and self.leaked == 0

    def __str__(self) -> str:
        seen = f"fault in {self.seen}" if self.seen else "no fault"
        words = self.trouble.strip().splitlines()[-1] if self.trouble else self.verdict.words
        return (
            f"{self.case}: {seen}, rescale {self.ended}, {self.attempts} attempts, {words}, "
            f"{self.leaked} leaked{' ' + str(self.left) if self.left else ''}, {self.seconds:.0f} s"
        )


class Run:
    """Carries out one case on a cluster that has no job. What it writes lies below `folder`."""

    def __init__(self, cluster: ChaosCluster, case: Case, folder: Path) -> None:
        self._cluster = cluster
        self._case = case
        self._folder = folder
        self._vertex = TARGETS[case.target].vertex
        self._seen: Phase | None = None
        self._ended = "not asked for"
        self._old: list[int] = []
        self._wished: list[int] = []

    def carry_out(self) -> Outcome:
        """Raises nothing but KeyboardInterrupt and the like: what went wrong is in the outcome."""
        since = time.monotonic()
        verdict, left, trouble, attempts = Verdict(0, 0, "not judged"), dict[str, int](), "", 0
        try:
            with running(self._cluster, self._case.spec(), self._folder) as job:
                self._disturb(job)
                self._cluster.restore_strength()
                self._await_settled(job)
                job.finish()
            attempts = len(list((self._folder / "out/results").glob("part-*.jsonl")))
            verdict = judge(job.spec, job.output)
            left = leaked(self._cluster)
            if left:
                keep_heaps(self._cluster, self._folder)
            if self._cluster.disk:
                self._cluster.disk.clear()
        except Exception:
            trouble = traceback.format_exc()
            self._keep_evidence(trouble)
        took = time.monotonic() - since
        return Outcome(self._case, self._seen, self._ended, attempts, verdict, left, took, trouble)

    # -- the fault -----------------------------------------------------------------------------------------------------

    def _disturb(self, job: Job) -> None:
        cluster, case = self._cluster, self._case
        job.await_records(self._vertex, RECORDS_BEFORE)
        before = job.vertex(self._vertex)
        request = self._request(job, before)
        self._old, self._wished = before.placement, request["placement"]
        request_id = begin(job, request)
        self._ended = "without an end"
        self._await_phase(job, request_id)
        if case.delay_ms:
            time.sleep(case.delay_ms / 1000)
        victim = self._victim(job, before)
        fault = inject(cluster, case.fault, victim, job.id, request_id)
        try:
            await_until(fault.lasted, f"the end of {case.fault}", HEAL_LIMIT_S, 0.05)
        finally:
            fault.heal()
        self._await_end(job, request_id)

    def _request(self, job: Job, now: Vertex) -> dict[str, Any]:
        if self._case.path[1] != now.parallelism:
            return planned(job, self._vertex, self._case.path[1])
        next_owner = dict(zip(now.active, [*now.active[1:], now.active[0]], strict=True))
        wanted = [next_owner[owner] if group % 2 else owner for group, owner in enumerate(now.placement)]
        wish = RebalanceWish(json.dumps(wanted))
        return body(propose_rebalance(job.cluster.client, job.id, self._vertex, wish, PlannerOptions()).request)

    def _await_phase(self, job: Job, request_id: str) -> None:
        """Until the rescale is in the phase of the case, or has passed it."""
        wanted = self._case.phase
        aborting = wanted is Phase.ABORTING
        aim = Phase.MIGRATING if aborting else wanted
        for phase in self._phases(job, request_id):
            if phase in {Phase.ABORTED, Phase.FAILED}:
                raise AssertionError(f"the rescale ended as {phase} before the fault")
            if _ORDER.index(phase) >= _ORDER.index(aim):
                break
        if aborting:
            try:
                self._cluster.client.abort(job.id, request_id)
            except Refused:
                self._seen = self._cluster.client.status(job.id, request_id).phase  # over already, or nearly
                return
            phase = next(p for p in self._phases(job, request_id) if p is Phase.ABORTING or p.terminal)
        self._seen = phase

    def _phases(self, job: Job, request_id: str) -> Iterator[Phase]:
        deadline = time.monotonic() + PHASE_LIMIT_S
        while time.monotonic() < deadline:
            phase = self._cluster.client.status(job.id, request_id).phase
            yield phase
            time.sleep(0.005)
        raise TimeoutError(f"the rescale did not get to {self._case.phase} within {PHASE_LIMIT_S:.0f} s")

    def _victim(self, job: Job, before: Vertex) -> JvmProcess | None:
        victim = self._case.victim
        if victim is Victim.NOBODY:
            return None
        if victim is Victim.JOB_MANAGER:
            return self._cluster.local.leader()
        moved = [(old, new) for old, new in zip(self._old, self._wished, strict=True) if old != new]
        if victim is Victim.OLD_OWNER:
            manager = self._manager_of(job, before.vertex_id, moved[0][0])
        elif victim is Victim.NEW_OWNER:
            manager = self._manager_of(job, before.vertex_id, moved[0][1])
        else:
            part = "source" if victim is Victim.PREDECESSOR else "sink"
            vertices = self._cluster.get(f"/jobs/{job.id}")["vertices"]
            found = next(one["id"] for one in vertices if part in one["name"].lower())
            manager = self._manager_of(job, found, 0)
        return next(p for p in self._cluster.local.task_managers if p.name == manager)

    def _manager_of(self, job: Job, vertex_id: str, subtask: int) -> str:
        """The TaskManager of a subtask; one that is about to be deployed is waited for.

        One that the rescale has retired, or given up, is not there any more: then it is any that the vertex is on.
        """
        names = {process.name for process in self._cluster.local.task_managers}

        def found() -> str | None:
            subtasks = self._cluster.get(f"/jobs/{job.id}/vertices/{vertex_id}")["subtasks"]
            managers = {one["subtask"]: str(one.get("taskmanager-id")) for one in subtasks}
            if managers.get(subtask) in names:
                return managers[subtask]
            # An old owner was there before; that of a new one may still have to come.
            gone = self._case.victim is Victim.OLD_OWNER or self._seen in _LATE
            return next((one for one in managers.values() if one in names), None) if gone else None

        return await_until(found, f"the slot of subtask {subtask}", PHASE_LIMIT_S, 0.01)

    # -- the end -------------------------------------------------------------------------------------------------------

    def _await_end(self, job: Job, request_id: str) -> None:
        """Until the rescale is over; a JobManager that took over knows nothing of it."""

        def over() -> str | None:
            try:
                status = self._cluster.client.status(job.id, request_id)
            except NotReachable:
                return None
            except Refused as refused:
                codes = {fault.code for fault in refused.faults}
                return "forgotten" if codes == {"UNKNOWN_RESCALE"} and self._case.victim is Victim.JOB_MANAGER else None
            if not status.phase.terminal:
                return None
            assert status.phase is Phase.COMPLETED or status.reason, "ended without a reason"
            return status.phase.name

        self._ended = await_until(over, "the end of the rescale", SETTLE_LIMIT_S, 0.1)

    def _await_settled(self, job: Job) -> None:
        """Until the job runs with the old or the new placement, and has completed a checkpoint since now."""
        since = time.time() * 1000

        def settled() -> bool:
            if job_state(self._cluster, job.id) != "RUNNING":
                return False
            checkpoints = ask(self._cluster, f"/jobs/{job.id}/checkpoints")
            completed = checkpoints and checkpoints["latest"]["completed"]
            if not completed or completed["trigger_timestamp"] < since:
                return False
            found = vertex(self._cluster, job.id, self._vertex)
            if found is None or found[1] is not None:
                return False
            now = found[0]
            return now.placement in (self._old, self._wished) and set(now.placement) == set(now.active)

        try:
            await_until(settled, "the job to run with the old or the new placement", SETTLE_LIMIT_S, 0.2)
        except TimeoutError as error:
            found = vertex(self._cluster, job.id, self._vertex)
            counts = "no vertex" if found is None else f"key groups by owner {Counter(found[0].placement)}"
            raise TimeoutError(f"{error}: {job_state(self._cluster, job.id)}, {counts}") from error

    def _keep_evidence(self, trouble: str) -> None:
        """Stack traces of all JVMs go to their .out files."""
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / "trouble.txt").write_text(f"{self._case}\n{trouble}")
        local = self._cluster.local
        for process in chain(local.job_managers, local.task_managers):
            process.send(signal.SIGCONT)
            process.send(signal.SIGQUIT)
