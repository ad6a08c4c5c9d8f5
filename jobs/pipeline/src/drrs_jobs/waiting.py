"""Waiting for a condition, with a time limit and a message that says what did not come."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import tenacity
from pyctl.errors import NotReachable

T = TypeVar("T")


def await_until(probe: Callable[[], T | None], what: str, timeout_s: float, every_s: float = 0.1) -> T:
    """Call ``probe`` each ``every_s`` seconds until it returns something true, and return that.

    A JobManager that does not answer counts as "not yet". Raises ``TimeoutError`` naming ``what``; any other
    error of the probe is raised at once.
    """
    retrying = tenacity.Retrying(
        wait=tenacity.wait_fixed(every_s),
        stop=tenacity.stop_after_delay(timeout_s),
        retry=tenacity.retry_if_result(lambda found: not found) | tenacity.retry_if_exception_type(NotReachable),
    )
    try:
        found = retrying(probe)
    except tenacity.RetryError as error:
        raise TimeoutError(f"waited {timeout_s:.0f} s in vain for {what}") from error
    assert found is not None
    return found
