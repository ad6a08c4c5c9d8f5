"""Flink's own REST, with and without the plug-in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from pyctl.flink_model import (
    CheckpointTimes,
    Job,
    JobDetails,
    JobPlan,
    Savepoint,
    TaskManagerDetails,
    VertexRequirements,
)
from pyctl.rest import Rest, first_line, parse

_JAR = "application/x-java-archive"


class FlinkClient(Rest):
    """Calls of stock Flink. All raise Refused with Flink's cause, and NotReachable."""

    def flink_version(self) -> str:
        """Version of the JobManager's Flink."""
        return str(self.get("/config").get("flink-version", "unknown"))

    def task_managers(self) -> list[str]:
        """Ids of the registered TaskManagers."""
        return [tm["id"] for tm in self.get("/taskmanagers").get("taskmanagers", [])]

    def task_manager(self, name: str) -> TaskManagerDetails:
        """Slots of a registered TaskManager."""
        return self._get(f"/taskmanagers/{quote(name, safe='')}", TaskManagerDetails)

    def free_slots(self) -> int:
        """Slots that no job holds."""
        return int(self.get("/overview").get("slots-available", 0))

    def options(self) -> dict[str, str]:
        """The JobManager's options, without those that were left at their defaults."""
        return {one["key"]: one["value"] for one in self.get("/jobmanager/config")}

    # -- jobs --------------------------------------------------------------------------------------------------------

    def jobs(self) -> list[Job]:
        """All jobs that Flink lists, ended ones too."""
        return [parse(Job, job, "/jobs/overview") for job in self.get("/jobs/overview").get("jobs", [])]

    def job(self, job_id: str) -> JobDetails:
        """One job with its vertices."""
        return self._get(f"/jobs/{job_id}", JobDetails)

    def state(self, job_id: str) -> str:
        """The state of a job at this moment; `job` shows it as it was up to `web.refresh-interval` ago."""
        return str(self.get(f"/jobs/{job_id}/status")["status"])

    def plan(self, job_id: str) -> JobPlan:
        """The vertices of a job and the edges between them."""
        path = f"/jobs/{job_id}/plan"
        return parse(JobPlan, self.get(path).get("plan"), path)

    def requirements(self, job_id: str) -> dict[str, VertexRequirements]:
        """What the adaptive scheduler may do with each vertex of a job. Raises Refused under another scheduler."""
        path = f"/jobs/{job_id}/resource-requirements"
        return {vertex: parse(VertexRequirements, each, path) for vertex, each in self.get(path).items()}

    def require(self, job_id: str, requirements: Mapping[str, VertexRequirements]) -> None:
        """Tell the adaptive scheduler what it may do with each vertex, all of them; the job follows in its own time."""
        body = {vertex: each.model_dump(by_alias=True) for vertex, each in requirements.items()}
        self._send("PUT", f"/jobs/{job_id}/resource-requirements", body)

    def cause_of_failure(self, job_id: str) -> str | None:
        """What made a job fail the last time, in a line."""
        history = self.get(f"/jobs/{job_id}/exceptions").get("exceptionHistory", {}).get("entries", [])
        return first_line(str(history[0]["stacktrace"])) if history else None

    def cancel(self, job_id: str) -> None:
        """Cancel a job; it ends in the background."""
        self._send("PATCH", f"/jobs/{job_id}")

    def upload_jar(self, jar: Path) -> str:
        """Upload the jar of a job and return its id. Each JobManager keeps what was uploaded to it for itself."""
        return str(self._upload("/jars/upload", jar, _JAR)["filename"]).rpartition("/")[2]

    def delete_jar(self, jar_id: str) -> None:
        """Delete an uploaded jar; jobs that were started from it have a copy of their own."""
        self._send("DELETE", f"/jars/{jar_id}")

    def plan_of_jar(
        self, jar_id: str, arguments: Sequence[str], options: Mapping[str, str], *, entry_class: str | None = None
    ) -> JobPlan:
        """What job an uploaded jar would start; its main method runs for that, and nothing is started."""
        body = _program(arguments, options, entry_class)
        return parse(JobPlan, self._send("POST", f"/jars/{jar_id}/plan", body).get("plan"), "POST jar plan")

    def run_jar(
        self,
        jar_id: str,
        arguments: Sequence[str],
        options: Mapping[str, str],
        *,
        entry_class: str | None = None,
        savepoint: str | None = None,
        job_id: str | None = None,
    ) -> str:
        """Start a job from an uploaded jar, `options` being Flink's for this job, and return the job's id.

        With a `job_id` of the caller's own Flink starts no second job of that id.
        """
        body = {
            **_program(arguments, options, entry_class),
            **({} if savepoint is None else {"savepointPath": savepoint}),
            **({} if job_id is None else {"jobId": job_id}),
        }
        return str(self._send_once("POST", f"/jars/{jar_id}/run", body)["jobid"])

    # -- checkpoints and savepoints ----------------------------------------------------------------------------------

    def checkpoint_times(self, job_id: str) -> CheckpointTimes:
        """How long a job's checkpoints take, and the newest ones. Raises Refused if it has none."""
        return self._get(f"/jobs/{job_id}/checkpoints", CheckpointTimes)

    def trigger_savepoint(
        self,
        job_id: str,
        *,
        stop: bool = False,
        folder: Path | str | None = None,
        native: bool = False,
        trigger_id: str | None = None,
    ) -> str:
        """Ask for a savepoint (`folder` None: where Flink's options say) and return the id to ask for it by.

        With `stop` the job ends with it, without a drain: it may go on from there later. With a `trigger_id` of the
        caller's own (32 hex digits) the same id twice is one savepoint, so that this is tried again like any other
        request; without one it is sent once.
        """
        place = folder.as_uri() if isinstance(folder, Path) else folder
        body = {
            "formatType": "NATIVE" if native else "CANONICAL",
            **({"drain": False} if stop else {"cancel-job": False}),
            **({} if place is None else {"targetDirectory" if stop else "target-directory": place}),
            **({} if trigger_id is None else {"triggerId": trigger_id}),
        }
        send = self._send_once if trigger_id is None else self._send
        return str(send("POST", f"/jobs/{job_id}/{'stop' if stop else 'savepoints'}", body)["request-id"])

    def savepoint(self, job_id: str, trigger_id: str) -> Savepoint:
        """How a savepoint that was asked for stands."""
        body = self.get(f"/jobs/{job_id}/savepoints/{trigger_id}")
        operation, cause = body.get("operation") or {}, None
        if "failure-cause" in operation:
            cause = operation["failure-cause"]
            cause = str(cause.get("stack-trace") or cause.get("class") if isinstance(cause, dict) else cause)
        status = body.get("status", {}).get("id")
        return Savepoint(completed=status == "COMPLETED", location=operation.get("location"), failure=cause)


def _program(arguments: Sequence[str], options: Mapping[str, str], entry_class: str | None) -> dict[str, object]:
    return {
        "programArgsList": list(arguments),
        "flinkConfiguration": dict(options),
        **({} if entry_class is None else {"entryClass": entry_class}),
    }
