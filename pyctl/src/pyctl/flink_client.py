"""Flink's own REST, with and without the plug-in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from pyctl.flink_model import CheckpointTimes, Job, JobDetails, Savepoint, TaskManagerDetails
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

    # -- jobs --------------------------------------------------------------------------------------------------------

    def jobs(self) -> list[Job]:
        """All jobs that Flink lists, ended ones too."""
        return [parse(Job, job, "/jobs/overview") for job in self.get("/jobs/overview").get("jobs", [])]

    def job(self, job_id: str) -> JobDetails:
        """One job with its vertices."""
        return self._get(f"/jobs/{job_id}", JobDetails)

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

    def run_jar(
        self,
        jar_id: str,
        arguments: Sequence[str],
        options: Mapping[str, str],
        *,
        entry_class: str | None = None,
        savepoint: str | None = None,
    ) -> str:
        """Start a job from an uploaded jar, `options` being Flink's for this job, and return the job's id."""
        body = {
            "programArgsList": list(arguments),
            "flinkConfiguration": dict(options),
            **({} if entry_class is None else {"entryClass": entry_class}),
            **({} if savepoint is None else {"savepointPath": savepoint}),
        }
        return str(self._send_once("POST", f"/jars/{jar_id}/run", body)["jobid"])

    # -- checkpoints and savepoints ----------------------------------------------------------------------------------

    def checkpoint_times(self, job_id: str) -> CheckpointTimes:
        """How long a job's checkpoints take. Raises Refused if it has none."""
        return self._get(f"/jobs/{job_id}/checkpoints", CheckpointTimes)

    def trigger_savepoint(
        self, job_id: str, *, stop: bool = False, folder: Path | None = None, native: bool = False
    ) -> str:
        """Ask for a savepoint (`folder` None: where Flink's options say) and return the id to ask for it by.

        With `stop` the job ends with it, without a drain: it may go on from there later.
        """
        body = {
            "formatType": "NATIVE" if native else "CANONICAL",
            **({"drain": False} if stop else {"cancel-job": False}),
            **({} if folder is None else {"targetDirectory" if stop else "target-directory": folder.as_uri()}),
        }
        verb = "stop" if stop else "savepoints"
        return str(self._send_once("POST", f"/jobs/{job_id}/{verb}", body)["request-id"])

    def savepoint(self, job_id: str, trigger_id: str) -> Savepoint:
        """How a savepoint that was asked for stands."""
        body = self.get(f"/jobs/{job_id}/savepoints/{trigger_id}")
        operation, cause = body.get("operation") or {}, None
        if "failure-cause" in operation:
            cause = operation["failure-cause"]
            cause = str(cause.get("stack-trace") or cause.get("class") if isinstance(cause, dict) else cause)
        status = body.get("status", {}).get("id")
        return Savepoint(completed=status == "COMPLETED", location=operation.get("location"), failure=cause)
