"""Following a rescale over failovers of the job."""

from __future__ import annotations

import pytest

from fake_jobmanager import JOB, FakeJobManager, refusal, status
from pyctl.client import Client
from pyctl.errors import Refused
from pyctl.follow import follow
from pyctl.model import Rescale

PATH = f"GET /jobs/{JOB}/drrs/rescales/"
UNKNOWN = refusal("UNKNOWN_RESCALE")


def followed(manager: FakeJobManager) -> list[Rescale]:
    with Client(manager.address) as client:
        return list(follow(client, JOB, "r1", interval_s=0.001, timeout_s=30))


def failed(*continued_by: str) -> dict[str, object]:
    return status("FAILED", reason="a task failed", continued_by=list(continued_by))


def test_the_rescale_that_goes_on_after_a_failover_is_waited_for(jobmanager: FakeJobManager) -> None:
    jobmanager.on(PATH + "r1", status("MIGRATING"), failed("r1-after-failover-1"))
    jobmanager.on(
        PATH + "r1-after-failover-1",
        UNKNOWN,
        UNKNOWN,
        status("MIGRATING", request_id="r1-after-failover-1"),
        status("COMPLETED", request_id="r1-after-failover-1"),
    )
    seen = followed(jobmanager)
    assert [(one.request_id, str(one.phase)) for one in seen] == [
        ("r1", "MIGRATING"),
        ("r1", "FAILED"),
        ("r1-after-failover-1", "MIGRATING"),
        ("r1-after-failover-1", "COMPLETED"),
    ]


def test_one_that_is_announced_and_not_needed_is_not_waited_for(jobmanager: FakeJobManager) -> None:
    jobmanager.on(PATH + "r1", failed("r1-after-failover-1"), failed("r1-after-failover-1"), failed())
    jobmanager.on(PATH + "r1-after-failover-1", UNKNOWN)
    assert [str(one.phase) for one in followed(jobmanager)] == ["FAILED"]


def test_of_several_the_one_that_did_not_complete_tells_the_end(jobmanager: FakeJobManager) -> None:
    jobmanager.on(PATH + "r1", failed("r1-1", "r1-2"))
    jobmanager.on(PATH + "r1-1", status("ABORTED", request_id="r1-1", reason="no slots"))
    jobmanager.on(PATH + "r1-2", status("COMPLETED", request_id="r1-2"))
    assert followed(jobmanager)[-1].request_id == "r1-1"


def test_one_that_was_never_known_is_refused(jobmanager: FakeJobManager) -> None:
    jobmanager.on(PATH + "r1", UNKNOWN)
    with pytest.raises(Refused):
        followed(jobmanager)
