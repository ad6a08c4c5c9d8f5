"""Following a rescale until it has ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from pyctl.client import Client
from pyctl.errors import RescaleFailed, WaitTimeout
from pyctl.model import Phase, Rescale

DEFAULT_INTERVAL_S = 0.2


def follow(
    client: Client,
    job_id: str,
    request_id: str,
    *,
    timeout_s: float | None = None,
    interval_s: float = DEFAULT_INTERVAL_S,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Rescale]:
    """Yield the status again and again until it is terminal (that one is yielded too).

    REST has no push, hence the interval. Raises WaitTimeout after `timeout_s` seconds; the rescale itself goes on.
    """
    deadline = None if timeout_s is None else clock() + timeout_s
    while True:
        status = client.status(job_id, request_id)
        yield status
        if status.phase.terminal:
            return
        left = None if deadline is None else deadline - clock()
        if left is not None and left <= 0:
            raise WaitTimeout(
                f"The rescale {request_id} is still in phase {status.phase} after {timeout_s:g} s; it goes on: "
                f"see `pyctl status`, or stop it with `pyctl abort`."
            )
        sleep(interval_s if left is None else min(interval_s, left))


def failure(status: Rescale) -> RescaleFailed | None:
    """The error that a terminal status other than COMPLETED amounts to."""
    if status.phase not in {Phase.FAILED, Phase.ABORTED}:
        return None
    reason = (status.reason or "no reason given").rstrip(".")
    outcome = "was rolled back" if status.phase is Phase.ABORTED else "failed"
    return RescaleFailed(f"The rescale {status.request_id} {outcome}: {reason}.")
