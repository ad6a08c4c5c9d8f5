"""Flink's own REST for a job that stops with a savepoint and starts again, as far as a restart asks it.

Strict: a request that it does not know is a broken connection. Time is that of the clock handed in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import requests
import responses

from fake_jobmanager import JOB, Answer
from pyctl.clock import Clock

URL = "http://jm:8081"
SAVEPOINT = "s3://bucket/savepoint-1"
SOURCE, COUNT, SINK = "5" * 32, "b" * 32, "e" * 32
FAILED_STOP = (
    "java.util.concurrent.CompletionException: org.apache.flink.StopWithSavepointStoppingException: A savepoint has "
    "been created at: s3://bucket/savepoint-1, but the corresponding job failed during stopping.\n\tat x"
)
REFRESH_S = 3
Sent = tuple[str, str, Any]


@dataclass
class FakeFlink:
    """The job: a source of 2 subtasks, `running count` of 2, and a sink tied to it by `ship` (FORWARD or REBALANCE)."""

    clock: Clock
    savepoint_takes_s: float = 1.0
    stop_fails: bool = False
    no_savepoint: bool = False
    after_failed_stop: str = "RUNNING"
    checkpoint_after: bool = False
    """One completes after the savepoint of a stop that failed."""
    scheduler: str = "Default"
    ship: str = "REBALANCE"
    free_slots: int = 4
    overview: dict[str, Any] | None = None
    """What the plug-in says of the cluster; None: it is a stock one."""
    drained_slots: int = 0
    """Slots of the job on the TaskManager `tm-1`."""
    counts: dict[str, int] = field(default_factory=lambda: {SOURCE: 2, COUNT: 2, SINK: 2})
    upper: dict[str, int] = field(default_factory=lambda: {SOURCE: 2, COUNT: 2, SINK: 2})
    lower: int = 1
    adapts_at: float | None = None
    lose: list[str] = field(default_factory=list)
    """Requests, `METHOD path`, whose next answer is lost; each does what it is to do all the same."""
    refuse_run: str | None = None
    new_state: str = "RUNNING"
    new_count: int | None = None
    """Of the job that is started: its state, and the parallelism of `running count` if it is not the wanted one."""
    forgetful: bool = False
    """Nobody knows what became of a savepoint: another JobManager leads."""
    sent: list[Sent] = field(default_factory=list)
    """What changes something, in order."""
    trigger: tuple[str, float] | None = None
    started: dict[str, dict[str, Any]] = field(default_factory=dict)
    cancelled: bool = False

    def serve(self, mock: responses.RequestsMock) -> None:
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            mock.add_callback(method, re.compile(f"{URL}/.*"), self._answer)

    def changing(self) -> list[tuple[str, str]]:
        """Method and path of what was sent to change something."""
        return [(method, path) for method, path, _ in self.sent]

    def bodies(self, path: str) -> list[Any]:
        """What was sent there."""
        return [body for _, at, body in self.sent if at == path]

    # -- what happens ------------------------------------------------------------------------------------------------

    @property
    def _saved(self) -> bool:
        return self.trigger is not None and self.clock.now() >= self.trigger[1] + self.savepoint_takes_s

    @property
    def state(self) -> str:
        if self.cancelled:
            return "CANCELED"
        if not self._saved or self.no_savepoint:
            return "RUNNING"
        return self.after_failed_stop if self.stop_fails else "FINISHED"

    def _answer(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        path = str(request.url).removeprefix(URL)
        method = str(request.method)
        body = json.loads(request.body) if request.body else None
        if method != "GET" and not path.endswith("/plan"):
            self.sent.append((method, path, body))
        code, answer = self._route(method, path, body)
        if f"{method} {path}" in self.lose:
            self.lose.remove(f"{method} {path}")
            raise requests.ConnectionError("reset")
        return code, {}, json.dumps(answer)

    def _route(self, method: str, path: str, body: Any) -> Answer:
        routes: dict[str, Callable[[], Answer]] = {
            "GET /config": lambda: (200, {"features": {}, "refresh-interval": REFRESH_S * 1000}),
            "GET /overview": lambda: (200, {"slots-available": self.free_slots}),
            "GET /drrs/overview": self._overview,
            "GET /taskmanagers/tm-1": lambda: (200, {"allocatedSlots": [{"jobId": JOB}] * self.drained_slots}),
            "GET /jobmanager/config": lambda: (200, []),
            f"GET /jobs/{JOB}": lambda: (200, self._job(JOB, self.state, self._parallelism())),
            f"GET /jobs/{JOB}/status": lambda: (200, {"status": self.state}),
            f"GET /jobs/{JOB}/plan": lambda: (200, self._plan(self.counts)),
            f"GET /jobs/{JOB}/drrs/vertices": lambda: (404, {"errors": ["Not found"]}),
            f"GET /jobs/{JOB}/checkpoints": lambda: (200, {"latest": self._latest()}),
            f"GET /jobs/{JOB}/resource-requirements": lambda: (200, self._requirements()),
            f"PUT /jobs/{JOB}/resource-requirements": lambda: self._require(body),
            f"POST /jobs/{JOB}/stop": lambda: self._stop(body),
            f"PATCH /jobs/{JOB}": self._cancel,
            "POST /jars/job.jar/plan": lambda: (200, self._plan(self._of(body))),
            "POST /jars/job.jar/run": lambda: self._run(body),
        }
        known = routes.get(f"{method} {path}")
        if known is not None:
            return known()
        if method == "GET" and path.startswith(f"/jobs/{JOB}/savepoints/"):
            return self._savepoint(path.rpartition("/")[2])
        if method == "GET" and path.endswith("/exceptions"):
            return 200, {"exceptionHistory": {"entries": [{"stacktrace": "a.B: no state for x\n\tat y"}]}}
        other = path.removeprefix("/jobs/")
        if method == "GET" and re.fullmatch("[0-9a-f]{32}", other):
            return self._other(other)
        raise requests.ConnectionError(f"{method} {path} is not known here")

    def _overview(self) -> Answer:
        return (404, {"errors": ["Not found"]}) if self.overview is None else (200, self.overview)

    def _stop(self, body: Any) -> Answer:
        if self.trigger is None or self.trigger[0] != body["triggerId"]:
            self.trigger = (body["triggerId"], self.clock.now())
        return 202, {"request-id": body["triggerId"]}

    def _savepoint(self, trigger: str) -> Answer:
        if self.trigger is None or self.trigger[0] != trigger or (self.forgetful and self._saved):
            return 404, {"errors": ["There is no savepoint operation with triggerId."]}
        if not self._saved:
            return 200, {"status": {"id": "IN_PROGRESS"}, "operation": None}
        operation: dict[str, Any] = {"location": SAVEPOINT}
        if self.stop_fails or self.no_savepoint:
            text = "a.B: Checkpoint expired before completing." if self.no_savepoint else FAILED_STOP
            operation = {"failure-cause": {"class": "x", "stack-trace": text}}
        return 200, {"status": {"id": "COMPLETED"}, "operation": operation}

    def _latest(self) -> dict[str, Any]:
        # As they were a while ago.
        shown = self.trigger is not None and self.clock.now() - REFRESH_S >= self.trigger[1] + self.savepoint_takes_s
        saved = shown and not self.no_savepoint
        made = {"id": 8, "checkpoint_type": "SYNC_SAVEPOINT", "external_path": SAVEPOINT}
        last = 9 if saved and self.checkpoint_after else 7
        completed = {"id": last, "checkpoint_type": "CHECKPOINT", "external_path": f"s3://bucket/chk-{last}"}
        return {"completed": completed, "savepoint": made if saved else None}

    def _cancel(self) -> Answer:
        self.cancelled = True
        return 202, {}

    def _run(self, body: Any) -> Answer:
        if self.refuse_run is not None:
            return 400, {"errors": [f"x.RestHandlerException: Could not execute application.\n\tat y\nCaused by: "
                                    f"z.E: {self.refuse_run}\n\tat y"]}  # fmt: skip
        if body["jobId"] in self.started:
            return 400, {"errors": ["x.RestHandlerException: Job has already been submitted.\n\tat y"]}
        assert self.state in {"FINISHED", "CANCELED", "FAILED"}, "the job runs twice"
        self.started[body["jobId"]] = body
        return 200, {"jobid": body["jobId"]}

    def _other(self, job_id: str) -> Answer:
        if job_id not in self.started:
            return 404, {"errors": [f"x.NotFoundException: Job {job_id} not found"]}
        numbers = self._of(self.started[job_id])
        if self.new_count is not None:
            numbers[COUNT] = self.new_count
        return 200, self._job(job_id, self.new_state, numbers)

    def _require(self, body: Any) -> Answer:
        self.upper = {vertex: each["parallelism"]["upperBound"] for vertex, each in body.items()}
        self.adapts_at = self.clock.now() + 10
        return 200, {}

    # -- how it looks ------------------------------------------------------------------------------------------------

    def _parallelism(self) -> dict[str, int]:
        return self.upper if self.adapts_at is not None and self.clock.now() >= self.adapts_at else self.counts

    def _of(self, body: Any) -> dict[str, int]:
        arguments = body["programArgsList"]
        return {SOURCE: 2, COUNT: int(arguments[arguments.index("--count") + 1]), SINK: 2}

    def _requirements(self) -> dict[str, Any]:
        return {
            vertex: {"parallelism": {"lowerBound": self.lower, "upperBound": n}} for vertex, n in self.upper.items()
        }

    def _job(self, job_id: str, state: str, numbers: dict[str, int]) -> dict[str, Any]:
        names = {SOURCE: "Source: bids -> parse", COUNT: "running count", SINK: "sink: Writer"}
        running = "RUNNING" if state == "RUNNING" else "FINISHED"
        vertices = [
            {"id": vertex, "name": names[vertex], "parallelism": number, "maxParallelism": 128,
             "slotSharingGroupId": "g", "tasks": {running: number}}
            for vertex, number in numbers.items()
        ]  # fmt: skip
        return {"jid": job_id, "name": "nexmark", "state": state, "schedulerType": self.scheduler, "vertices": vertices}

    def _plan(self, numbers: dict[str, int]) -> dict[str, Any]:
        edges = {SOURCE: [], COUNT: [{"id": SOURCE, "ship_strategy": "HASH"}],
                 SINK: [{"id": COUNT, "ship_strategy": self.ship}]}  # fmt: skip
        nodes = [{"id": vertex, "parallelism": n, "inputs": edges[vertex]} for vertex, n in numbers.items()]
        return {"plan": {"name": "nexmark", "nodes": nodes}}
