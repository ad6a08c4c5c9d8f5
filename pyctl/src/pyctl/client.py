"""The client of a JobManager with the plug-in; what it knows of Flink alone works without the plug-in too."""

from __future__ import annotations

import uuid
from urllib.parse import quote

from pyctl.flink_client import FlinkClient
from pyctl.model import (
    Accepted,
    CombinedRequest,
    DrainRequest,
    DrainState,
    JobVertices,
    Overview,
    Rescale,
    RescaleRequest,
    Rescales,
    Valid,
)
from pyctl.rest import parse


class Client(FlinkClient):
    """Calls of the plug-in, and Flink's own. Not thread-safe.

    A POST of the plug-in may be repeated: each rescale carries an id of the caller's own, and the same id twice is one
    action. All raise NotPlugged on a stock cluster, and NotReachable.
    """

    def overview(self) -> Overview:
        """State of the plug-in in all JVMs."""
        return self._get("/drrs/overview", Overview)

    def drain(self, task_manager: str) -> DrainState:
        """Let nothing new be placed on a TaskManager (its id); what runs there stays."""
        body = self._send("POST", "/drrs/drains", DrainRequest(task_manager=task_manager))
        return parse(DrainState, body, "POST drains")

    def undrain(self, task_manager: str) -> DrainState:
        """Let a drained TaskManager be used again. Raises Refused if it is not drained."""
        path = f"/drrs/drains/{quote(task_manager, safe='')}"
        return parse(DrainState, self._send("DELETE", path), path)

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
        return parse(Accepted, body, "POST rescales").request_id

    def check(self, job_id: str, request: RescaleRequest | CombinedRequest) -> Valid:
        """Let the JobManager validate a request without touching anything. Raises Refused with all faults."""
        body = self._send("POST", f"/jobs/{job_id}/drrs/rescales", request.model_copy(update={"dry_run": True}))
        return parse(Valid, body, "POST rescales")

    def status(self, job_id: str, request_id: str) -> Rescale:
        """Status of one rescale."""
        return self._get(f"/jobs/{job_id}/drrs/rescales/{request_id}", Rescale)

    def history(self, job_id: str) -> list[Rescale]:
        """All rescales of a job that the JobManager or a history server remembers, newest first."""
        return self._get(f"/jobs/{job_id}/drrs/rescales", Rescales).rescales

    def abort(self, job_id: str, request_id: str) -> str:
        """Ask for the abort of a rescale; it is rolled back in the background. Raises Refused if it cannot be."""
        body = self._send("POST", f"/jobs/{job_id}/drrs/rescales/{request_id}/abort")
        return parse(Accepted, body, "POST abort").request_id
