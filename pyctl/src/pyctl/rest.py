"""Requests to one JobManager: where it is, what is tried again, and what a bad answer becomes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import requests
import tenacity
from pydantic import BaseModel, ValidationError

from pyctl.address import Address
from pyctl.clock import SYSTEM, Clock
from pyctl.errors import Fault, NoLeader, NotPlugged, NotReachable, OnlyHistory, ProtocolError, Refused
from pyctl.leader import locate
from pyctl.transport import Transport, Unavailable, Upload, plain_cause

T = TypeVar("T", bound=BaseModel)
Body = BaseModel | Mapping[str, Any]
Response = requests.Response

DEFAULT_ADDRESS = "127.0.0.1:8081"
RETRY_S = 5.0
FIRST_CONTACT_S = 10.0
"""Behind ZooKeeper, until it has told of a leader for the first time: there may be nothing there at all."""
FAILOVER_RETRY_S = 180.0
"""A standby leads once ZooKeeper has given up the old leader's session (60 s by default) and the jobs are read."""

_JSON = "application/json"


class Rest:
    """Talks to one JobManager. Not thread-safe (it holds one HTTP session).

    Connection errors and 503 are retried with growing pauses for at most `retry_s` seconds, other answers never; what
    must not be done twice is sent once. Behind ZooKeeper the leader is looked up again before each retry.
    """

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        retry_s: float | None = None,
        timeout_s: float = 60.0,
        ca_file: Path | str | None = None,
        clock: Clock = SYSTEM,
    ) -> None:
        """`address` is `host:port`, an http(s) URL (see `pyctl.address`) or one for ZooKeeper (see `pyctl.leader`).

        `timeout_s` bounds the wait for a single answer (see `pyctl.transport` for that for a connection); `retry_s` is
        5 s by default, and behind ZooKeeper long enough for a new leader to take over, once there was one. `ca_file` as
        in `pyctl.transport`.
        """
        self._locator = locate(address)
        self._address: Address | None = None
        self._had_leader = False
        self._retry_s = retry_s
        self._transport = Transport(timeout_s, ca_file)
        self._clock = clock

    def close(self) -> None:
        """Close the HTTP connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def base_url(self) -> str:
        """URL of the JobManager that is talked to, without user and password. Raises NoLeader."""
        return self._present().url

    def get(self, path: str) -> Any:
        """GET any path of Flink's REST or the plug-in's, as parsed JSON.

        Raises Refused with the faults of a bad answer, NotPlugged, and NotReachable if nobody answers.
        """
        return self._send("GET", path)

    def exchange(self, method: str, path: str, payload: bytes) -> Response:
        """Send JSON (or what is to pass for it) once, and return the answer whatever it is. Raises NotReachable."""
        return self._once(method, path, payload, _JSON)

    # -- for the typed calls -----------------------------------------------------------------------------------------

    def _get(self, path: str, model: type[T]) -> T:
        return parse(model, self._send("GET", path), path)

    def _send(self, method: str, path: str, body: Body | None = None) -> Any:
        """Send a request that may arrive twice without harm."""
        payload = None if body is None else _encoded(body)
        retrying = tenacity.Retrying(
            stop=self._long_enough(),
            wait=tenacity.wait_exponential_jitter(multiplier=0.1, max=1.0, jitter=0.1),
            retry=tenacity.retry_if_exception_type((requests.ConnectionError, requests.Timeout, Unavailable, NoLeader)),
            before_sleep=lambda _: self._forget_leader(),
            sleep=self._clock.sleep,
            reraise=True,
        )
        try:
            answer = retrying(lambda: self._transport.send(self._present(), method, path, payload, _JSON))
        except (Unavailable, requests.RequestException) as error:
            raise self._not_reachable(error) from error
        return self._body(answer, path)

    def _send_once(self, method: str, path: str, body: Body) -> Any:
        """Send a request that would be done twice if it arrived twice."""
        return self._body(self._once(method, path, _encoded(body), _JSON), path)

    def _upload(self, path: str, file: Path, content_type: str) -> Any:
        with file.open("rb") as content:
            upload = Upload("jarfile", file.name, content, content_type)
            return self._body(self._once("POST", path, upload, None), path)

    def _once(self, method: str, path: str, payload: bytes | Upload, content_type: str | None) -> Response:
        try:
            return self._transport.send(self._present(), method, path, payload, content_type)
        except (Unavailable, requests.RequestException) as error:
            self._forget_leader()
            raise self._not_reachable(error) from error

    def _not_reachable(self, error: Unavailable | requests.RequestException) -> NotReachable:
        if isinstance(error, Unavailable):
            return NotReachable(str(error), code=error.code)
        return NotReachable(f"No JobManager answers at {self._locator}: {plain_cause(error)}.")

    def _body(self, answer: requests.Response, path: str) -> Any:
        try:
            return _good(answer, path)
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

    def _long_enough(self) -> Any:
        begin = self._clock.now()

        def stop(_: tenacity.RetryCallState) -> bool:
            if self._retry_s is not None:
                limit = self._retry_s
            elif not self._locator.moves:
                limit = RETRY_S
            else:
                limit = FAILOVER_RETRY_S if self._had_leader else FIRST_CONTACT_S
            return self._clock.now() - begin >= limit

        return stop

    def _forget_leader(self) -> None:
        self._address = None


def parse(model: type[T], body: object, origin: str) -> T:
    """An answer as a model. Raises ProtocolError if it is not what was agreed."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole answer"
        raise ProtocolError(f"The answer to {origin} is not as agreed: {where}: {first['msg']}.") from error


def _encoded(body: Body) -> bytes:
    if isinstance(body, BaseModel):
        return body.model_dump_json(by_alias=True, exclude_none=True).encode()
    return json.dumps(body).encode()


def _good(answer: requests.Response, path: str) -> Any:
    """The JSON of a good answer; a bad one becomes Refused or NotPlugged."""
    body = answer.json()
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
    return Fault(f"HTTP_{status}", _told(str(error)))


def _told(text: str) -> str:
    """What a stack trace of Flink's says: its first line, and what caused it in the end."""
    shown = first_line(text.strip().removeprefix("<Exception on server side:"))
    _, found, cause = text.rpartition("\nCaused by: ")
    return f"{shown.rstrip('.')}: {first_line(cause)}" if found and first_line(cause) not in shown else shown


def first_line(text: str) -> str:
    """What a text of Flink's says in its first line, without the classes of exceptions that it may start with."""
    line = text.strip().splitlines()[0] if text.strip() else "no message"
    while True:
        head, _, rest = line.partition(": ")
        if not rest or "." not in head or " " in head:
            return line
        line = rest
