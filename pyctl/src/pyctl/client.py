"""REST client of a JobManager with the plug-in."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import requests
import tenacity
from pydantic import BaseModel, ValidationError

from pyctl.address import Address
from pyctl.errors import Fault, NoLeader, NotPlugged, NotReachable, OnlyHistory, ProtocolError, Refused
from pyctl.leader import locate
from pyctl.model import (
    Accepted,
    CheckpointTimes,
    CombinedRequest,
    DrainRequest,
    DrainState,
    Job,
    JobVertices,
    Overview,
    Rescale,
    RescaleRequest,
    Rescales,
    TaskManagerDetails,
)
from pyctl.transport import Transport, Unavailable, plain_cause

T = TypeVar("T", bound=BaseModel)

DEFAULT_ADDRESS = "127.0.0.1:8081"
RETRY_S = 5.0
FIRST_CONTACT_S = 10.0
"""Behind ZooKeeper, until it has told of a leader for the first time: there may be nothing there at all."""
FAILOVER_RETRY_S = 180.0
"""A standby leads once ZooKeeper has given up the old leader's session (60 s by default) and the jobs are read."""


class Client:
    """Talks to one JobManager. Not thread-safe (it holds one HTTP session).

    Connection errors and 503 are retried with growing pauses for at most `retry_s` seconds, other answers never. A
    repeated POST does no harm: each rescale carries an id of the caller's own, and the same id twice is one action.
    Behind ZooKeeper the leader is looked up again before each retry.
    """

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        retry_s: float | None = None,
        timeout_s: float = 10.0,
        ca_file: Path | str | None = None,
    ) -> None:
        """`address` is `host:port`, an http(s) URL (see `pyctl.address`) or one for ZooKeeper (see `pyctl.leader`).

        `timeout_s` bounds a single request; `retry_s` is 5 s by default, and behind ZooKeeper long enough for a new
        leader to take over, once there was one. `ca_file` as in `pyctl.transport`.
        """
        self._locator = locate(address)
        self._address: Address | None = None
        self._had_leader = False
        self._retry_s = retry_s
        self._transport = Transport(timeout_s, ca_file)

    def close(self) -> None:
        """Close the HTTP connections."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def base_url(self) -> str:
        """URL of the JobManager that is talked to, without user and password. Raises NoLeader."""
        return self._present().url

    # -- calls -----------------------------------------------------------------------------------------------------

    def overview(self) -> Overview:
        """State of the plug-in in all JVMs. Raises NotPlugged on a stock cluster."""
        return self._get("/drrs/overview", Overview)

    def jobs(self) -> list[Job]:
        """All jobs that Flink lists, ended ones too."""
        body = self._send("GET", "/jobs/overview")
        return [_parse(Job, job, "/jobs/overview") for job in body.get("jobs", [])]

    def flink_version(self) -> str:
        """Version of the JobManager's Flink; works on a stock cluster too."""
        return str(self._send("GET", "/config").get("flink-version", "unknown"))

    def task_managers(self) -> list[str]:
        """Ids of the registered TaskManagers; works on a stock cluster too."""
        return [tm["id"] for tm in self._send("GET", "/taskmanagers").get("taskmanagers", [])]

    def task_manager(self, name: str) -> TaskManagerDetails:
        """Slots of a registered TaskManager; works on a stock cluster too."""
        return self._get(f"/taskmanagers/{quote(name, safe='')}", TaskManagerDetails)

    def checkpoint_times(self, job_id: str) -> CheckpointTimes:
        """How long a job's checkpoints take. Raises Refused if it has none."""
        return self._get(f"/jobs/{job_id}/checkpoints", CheckpointTimes)

    def drain(self, task_manager: str) -> DrainState:
        """Let nothing new be placed on a TaskManager (its id); what runs there stays."""
        body = self._send("POST", "/drrs/drains", DrainRequest(task_manager=task_manager))
        return _parse(DrainState, body, "POST drains")

    def undrain(self, task_manager: str) -> DrainState:
        """Let a drained TaskManager be used again. Raises Refused if it is not drained."""
        path = f"/drrs/drains/{quote(task_manager, safe='')}"
        return _parse(DrainState, self._send("DELETE", path), path)

    def vertices(self, job_id: str) -> JobVertices:
        """Elastic vertices with placement and load per key group."""
        return self._get(f"/jobs/{job_id}/drrs/vertices", JobVertices)

    def rescale(self, job_id: str, request: RescaleRequest | CombinedRequest) -> str:
        """Ask for a rescale and return its id. Raises Refused with all faults, and nothing was touched then."""
        if request.dry_run:
            raise ValueError("a dry run has no id: use check()")
        if request.request_id is None:
            request = request.model_copy(update={"request_id": uuid.uuid4().hex})
        body = self._send("POST", f"/jobs/{job_id}/drrs/rescales", request)
        return _parse(Accepted, body, "POST rescales").request_id

    def check(self, job_id: str, request: RescaleRequest | CombinedRequest) -> None:
        """Let the JobManager validate a request without touching anything. Raises Refused with all faults."""
        self._send("POST", f"/jobs/{job_id}/drrs/rescales", request.model_copy(update={"dry_run": True}))

    def status(self, job_id: str, request_id: str) -> Rescale:
        """Status of one rescale."""
        return self._get(f"/jobs/{job_id}/drrs/rescales/{request_id}", Rescale)

    def history(self, job_id: str) -> list[Rescale]:
        """All rescales of a job that the JobManager or a history server remembers, newest first."""
        return self._get(f"/jobs/{job_id}/drrs/rescales", Rescales).rescales

    def abort(self, job_id: str, request_id: str) -> str:
        """Ask for the abort of a rescale; it is rolled back in the background. Raises Refused if it cannot be."""
        body = self._send("POST", f"/jobs/{job_id}/drrs/rescales/{request_id}/abort")
        return _parse(Accepted, body, "POST abort").request_id

    # -- transport -------------------------------------------------------------------------------------------------

    def _get(self, path: str, model: type[T]) -> T:
        return _parse(model, self._send("GET", path), path)

    def _send(self, method: str, path: str, body: BaseModel | None = None) -> dict[str, Any]:
        payload = None if body is None else body.model_dump_json(by_alias=True, exclude_none=True)
        retrying = tenacity.Retrying(
            stop=self._is_long_enough,
            wait=tenacity.wait_exponential_jitter(multiplier=0.1, max=1.0, jitter=0.1),
            retry=tenacity.retry_if_exception_type((requests.ConnectionError, requests.Timeout, Unavailable, NoLeader)),
            before_sleep=self._forget_leader,
            reraise=True,
        )
        try:
            answer = retrying(lambda: self._transport.send(self._present(), method, path, payload))
        except Unavailable as error:
            raise NotReachable(str(error), code=error.code) from error
        except requests.RequestException as error:
            raise NotReachable(f"No JobManager answers at {self._locator}: {plain_cause(error)}.") from error
        try:
            return _body(answer, path)
        except NotPlugged:
            if self._is_history_server():
                raise _not_in_history(self._present(), path) from None
            raise

    def _is_history_server(self) -> bool:
        """Flink's history server looks like a JobManager and knows only what has been."""
        return bool(self._send("GET", "/config").get("features", {}).get("web-history"))

    def _present(self) -> Address:
        if self._address is None:
            self._address = self._locator.address()
            self._had_leader = True
        return self._address

    def _is_long_enough(self, state: tenacity.RetryCallState) -> bool:
        if self._retry_s is not None:
            limit = self._retry_s
        elif not self._locator.moves:
            limit = RETRY_S
        else:
            limit = FAILOVER_RETRY_S if self._had_leader else FIRST_CONTACT_S
        return (state.seconds_since_start or 0.0) >= limit

    def _forget_leader(self, _: tenacity.RetryCallState) -> None:
        self._address = None


def _body(answer: requests.Response, path: str) -> dict[str, Any]:
    """The JSON object of a good answer; a bad one becomes Refused or NotPlugged."""
    body: dict[str, Any] = answer.json()
    if answer.ok:
        return body
    errors = body["errors"]
    if answer.status_code in {404, 405} and "/drrs/" in path and not (errors and isinstance(errors[0], dict)):
        raise NotPlugged(
            "The JobManager runs without the plug-in (it does not know this address): "
            "install it with `pyctl install` and restart the cluster."
        )
    raise Refused([_fault(error, answer.status_code) for error in errors or [""]], answer.status_code)


def _not_in_history(address: Address, path: str) -> OnlyHistory:
    if "/drrs/rescales" in path:
        return OnlyHistory(
            "NO_HISTORY",
            f"The history server at {address} has no rescales of this job: it does not know the job, or the job was "
            f"not elastic.",
        )
    return OnlyHistory(
        "HISTORY_SERVER",
        f"{address} is a history server, which only shows jobs that have ended: give the JobManager's address.",
    )


def _fault(error: object, status: int) -> Fault:
    if isinstance(error, dict):
        return Fault(str(error.get("code", "INTERNAL")), str(error.get("message", "no message")))
    # Flink's own faults are texts, often with a stack trace; its first line may start with the exception's class.
    line = str(error).strip().splitlines()[0] if str(error).strip() else "no message"
    head, _, rest = line.partition(": ")
    message = rest if rest and "." in head and " " not in head else line
    return Fault(f"HTTP_{status}", message)


def _parse(model: type[T], body: object, origin: str) -> T:
    try:
        return model.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole answer"
        raise ProtocolError(f"The answer to {origin} is not as agreed: {where}: {first['msg']}.") from error
