"""Sending a request and following it to its end, for the command line and for programs alike: nothing is printed."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from pyctl.client import Client
from pyctl.clock import SYSTEM, Clock
from pyctl.errors import Interrupted, Refused, RescaleFailed, WaitTimeout
from pyctl.follow import DEFAULT_INTERVAL_S, Outcome, Target, follow, outcome, targets_of
from pyctl.model import CombinedRequest, Phase, Rescale, RescaleRequest

Request = RescaleRequest | CombinedRequest

_TOO_LATE = "NOT_ABORTABLE"


class Listener(Protocol):
    """Hears of what happens, in the thread that carries it out."""

    def accepted(self, job_id: str, request_id: str) -> None:
        """The JobManager has taken a request on."""

    def progressed(self, status: Rescale) -> None:
        """How a rescale stands, again and again; also of those that go on with it after a failover."""


class _Deaf:
    def accepted(self, job_id: str, request_id: str) -> None:
        """Ignored."""

    def progressed(self, status: Rescale) -> None:
        """Ignored."""


DEAF: Listener = _Deaf()


@dataclass(frozen=True)
class Execution:
    """Carries requests out, one at a time. As little thread-safe as its client."""

    client: Client
    listener: Listener = DEAF
    clock: Clock = SYSTEM
    interval_s: float = DEFAULT_INTERVAL_S
    """Between two looks at a rescale: REST has no push."""
    withdraw: Callable[[], bool] = lambda: False
    """Asked at each look; when it says yes, the rescale (and what goes on with it) is aborted, if it still can be."""

    def send(self, job_id: str, request: Request) -> str:
        """Ask for a rescale and return its id.

        Raises Refused with all faults, and Interrupted on Ctrl-C: it may have been accepted.
        """
        request_id = request.request_id or uuid.uuid4().hex
        try:
            accepted = self.client.rescale(job_id, request.model_copy(update={"request_id": request_id}))
        except KeyboardInterrupt:
            interrupted = Interrupted(
                f"Interrupted. The rescale {request_id} may have been accepted: `pyctl status {job_id} --id "
                f"{request_id}` tells, `pyctl abort {job_id} --id {request_id}` turns it back."
            )
            interrupted.about = {"job_id": job_id, "request_id": request_id}
            raise interrupted from None
        self.listener.accepted(job_id, accepted)
        return accepted

    def await_end(
        self, job_id: str, request_id: str, timeout_s: float | None = None, targets: Sequence[Target] | None = None
    ) -> Outcome:
        """Follow a rescale until it and what goes on with it has ended; `targets` as in `pyctl.follow.outcome`.

        Raises WaitTimeout after `timeout_s` seconds and Interrupted on Ctrl-C; the rescale goes on then.
        """
        seen: dict[str, Rescale] = {}
        withdrawn: set[str] = set()
        with _going_on(job_id, request_id):
            for status in self.statuses(job_id, request_id, timeout_s):
                seen.pop(status.request_id, None)
                seen[status.request_id] = status
                self.listener.progressed(status)
                if status.request_id not in withdrawn and not status.phase.terminal and self.withdraw():
                    withdrawn.add(status.request_id)
                    self._abort(job_id, status.request_id)
            return outcome(self.client, job_id, list(seen.values()), targets)

    def statuses(self, job_id: str, request_id: str, timeout_s: float | None = None) -> Iterator[Rescale]:
        """`pyctl.follow.follow` with this client and clock."""
        return follow(
            self.client, job_id, request_id, timeout_s=timeout_s, interval_s=self.interval_s, clock=self.clock
        )

    def carry_out(self, job_id: str, request: Request, timeout_s: float | None = None) -> Outcome:
        """Send a request and wait until all of it has ended, however that is: see `Outcome.failure`.

        Raises Refused if it was not accepted, WaitTimeout and Interrupted as `await_end` does.
        """
        return self.await_end(job_id, self.send(job_id, request), timeout_s, targets_of(request))

    def abort(self, job_id: str, request_id: str, timeout_s: float | None = None) -> Outcome:
        """Abort a rescale and wait until it is rolled back, or has ended otherwise: see `not_rolled_back`.

        Raises Refused if it cannot be aborted.
        """
        self.client.abort(job_id, request_id)
        return self.await_end(job_id, request_id, timeout_s)

    def _abort(self, job_id: str, request_id: str) -> None:
        try:
            self.client.abort(job_id, request_id)
        except Refused as error:
            if {fault.code for fault in error.faults} != {_TOO_LATE}:
                raise


def not_rolled_back(ended: Outcome) -> RescaleFailed | None:
    """The error that the outcome of an abort amounts to."""
    if ended.last.phase is Phase.ABORTED:
        return None
    return RescaleFailed(f"The rescale {ended.asked.request_id} was not rolled back: it ended as {ended.last.phase}.")


@contextmanager
def _going_on(job_id: str, request_id: str) -> Iterator[None]:
    """Tell of a rescale that goes on when the waiting for it is broken off."""
    about = {"job_id": job_id, "request_id": request_id}
    try:
        yield
    except KeyboardInterrupt:
        interrupted = Interrupted(
            f"Interrupted. The rescale {request_id} goes on: `pyctl status {job_id} --id {request_id}` shows it, "
            f"`pyctl abort {job_id} --id {request_id}` turns it back."
        )
        interrupted.about = about
        raise interrupted from None
    except WaitTimeout as error:
        error.about = about
        raise
