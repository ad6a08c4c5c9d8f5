"""REST client of a JobManager with the plug-in."""

from __future__ import annotations

import uuid
from typing import Any, TypeVar
from urllib.parse import quote

import requests
import tenacity
from pydantic import BaseModel, ValidationError

from pyctl.errors import Fault, NoLeader, NotPlugged, NotReachable, ProtocolError, Refused
from pyctl.leader import locate
from pyctl.model import (
    Accepted,
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

T = TypeVar("T", bound=BaseModel)

DEFAULT_ADDRESS = "127.0.0.1:8081"
RETRY_S = 5.0
FAILOVER_RETRY_S = 180.0
"""A standby leads once ZooKeeper has given up the old leader's session (60 s by default) and the jobs are read."""


class _Unavailable(Exception):
    """The JobManager answered 503: no leader yet."""


class Client:
    """Talks to one JobManager. Not thread-safe (it holds one HTTP session).

    Connection errors and 503 are retried with growing pauses for at most `retry_s` seconds, other answers never. A
    repeated POST does no harm: each rescale carries an id of the caller's own, and the same id twice is one action.
    Behind ZooKeeper the leader is looked up again before each retry.
    """

    def __init__(
        self, address: str = DEFAULT_ADDRESS, *, retry_s: float | None = None, timeout_s: float = 10.0
    ) -> None:
        """`address` is `host:port`, an http URL or one for ZooKeeper (see `pyctl.leader`).

        `timeout_s` bounds a single request; `retry_s` is 5 s by default, and behind ZooKeeper long enough for a new
        leader to take over.
        """
        self._locator = locate(address)
        self._url: str | None = None
        self._retry_s = retry_s if retry_s is not None else FAILOVER_RETRY_S if self._locator.moves else RETRY_S
        self._timeout_s = timeout_s
        self._session = requests.Session()

    def close(self) -> None:
        """Close the HTTP connections."""
        self._session.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def base_url(self) -> str:
        """URL of the JobManager that is talked to. Raises NoLeader."""
        if self._url is None:
            self._url = self._locator.url()
        return self._url

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
        """All rescales of a job that the JobManager remembers, newest first."""
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
            stop=tenacity.stop_after_delay(self._retry_s),
            wait=tenacity.wait_exponential_jitter(multiplier=0.1, max=1.0, jitter=0.1),
            retry=tenacity.retry_if_exception_type(
                (requests.ConnectionError, requests.Timeout, _Unavailable, NoLeader)
            ),
            before_sleep=self._forget_leader,
            reraise=True,
        )
        try:
            answer = retrying(self._once, method, path, payload)
        except (requests.RequestException, _Unavailable) as error:
            raise NotReachable(f"No JobManager answers at {self._locator}: {_cause(error)}.") from error
        return _body(answer, method, path)

    def _forget_leader(self, _: tenacity.RetryCallState) -> None:
        self._url = None

    def _once(self, method: str, path: str, payload: str | None) -> requests.Response:
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        answer = self._session.request(
            method, self.base_url + path, data=payload, headers=headers, timeout=self._timeout_s, allow_redirects=True
        )
        if answer.status_code == 503:
            raise _Unavailable("it is up, but has no leader yet")
        return answer


def _cause(error: Exception) -> str:
    if isinstance(error, requests.Timeout):
        return "the request timed out"
    if isinstance(error, requests.ConnectionError):
        text = str(error)
        for sign, plain in (
            ("Connection refused", "connection refused"),
            ("Name or service not known", "the host name is not known"),
            ("Failed to resolve", "the host name is not known"),
            ("No route to host", "no route to the host"),
        ):
            if sign in text:
                return plain
        return "the connection broke"
    return str(error)


def _body(answer: requests.Response, method: str, path: str) -> dict[str, Any]:
    """The JSON object of a good answer; a bad one becomes Refused or NotPlugged."""
    try:
        body = answer.json()
    except requests.JSONDecodeError:
        body = None
    if answer.ok and isinstance(body, dict):
        return body
    if isinstance(body, dict) and isinstance(body.get("errors"), list) and body["errors"]:
        if answer.status_code in {404, 405} and "/drrs/" in path and not isinstance(body["errors"][0], dict):
            raise NotPlugged(
                "The JobManager runs without the plug-in (it does not know this address): "
                "install it with `pyctl install` and restart the cluster."
            )
        raise Refused([_fault(error, answer.status_code) for error in body["errors"]], answer.status_code)
    raise ProtocolError(f"{method} {path} was answered with {answer.status_code} and no JSON that pyctl understands.")


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
