"""The few calls of Flink's own REST that a run needs; they work with and without the plug-in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from drrs_jobs.waiting import await_until

_ENDED = {"FINISHED", "FAILED", "CANCELED"}


class JobEndedError(Exception):
    """The job is in a final state that it was not meant to reach; the message holds Flink's cause."""


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Completed and failed checkpoints of a period, and the size of the newest completed one in bytes."""

    completed: int
    failed: int
    state_bytes: int


class Flink:
    """REST of one JobManager; ``url`` without a slash at its end. Raises ``requests.HTTPError`` with Flink's text."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._session = requests.Session()
        # The clusters are on this machine: a proxy of the environment has nothing to do there.
        self._session.trust_env = False

    def get(self, path: str) -> Any:
        """GET ``path`` and return the parsed JSON."""
        return _json(self._session.get(self._url + path, timeout=30))

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """POST a JSON body and return the parsed answer."""
        return _json(self._session.post(self._url + path, json=body, timeout=60))

    def only_job(self) -> str:
        """Return the id of the one job that has not ended."""
        running = [job["jid"] for job in self.get("/jobs/overview")["jobs"] if job["state"] not in _ENDED]
        if len(running) != 1:
            raise JobEndedError(f"expected one job that runs, found {len(running)}")
        return str(running[0])

    def await_running(self, job: str, at_least: Mapping[str, int], timeout_s: float = 120.0) -> None:
        """Wait until all tasks of the job run.

        ``at_least`` says how many that are for vertices whose name holds the given text: those of an elastic vertex
        that are dormant never run, so its parallelism does not tell.
        """

        def all_run() -> bool:
            details = self.get(f"/jobs/{job}")
            _check_alive(self, job, details["state"], "RUNNING")
            return all(
                vertex["tasks"]["RUNNING"]
                >= next((n for text, n in at_least.items() if text in vertex["name"]), vertex["parallelism"])
                for vertex in details["vertices"]
            )

        await_until(all_run, f"all tasks of job {job} to run", timeout_s, 0.05)

    def await_finished(self, job: str, timeout_s: float) -> None:
        """Wait until a bounded job has finished; raises ``JobEndedError`` if it fails."""

        def finished() -> bool:
            state = str(self.get(f"/jobs/{job}")["state"])
            _check_alive(self, job, state, "FINISHED")
            return state == "FINISHED"

        await_until(finished, f"the end of job {job}", timeout_s, 0.5)

    def checkpoints(self, job: str, since: int = 0, until: int | None = None) -> Checkpoints:
        """Count the checkpoints that overlap [since, until] (epoch ms), and the first one triggered after that.

        The first one after is in, so that a rescale shorter than the checkpoint interval has one to show.
        """
        history = sorted(self.get(f"/jobs/{job}/checkpoints")["history"], key=lambda one: one["trigger_timestamp"])
        history = [one for one in history if not one["is_savepoint"] and one["status"] != "IN_PROGRESS"]
        chosen = []
        for one in history:
            if max(one["trigger_timestamp"], one["latest_ack_timestamp"]) < since:
                continue
            chosen.append(one)
            if until is not None and one["trigger_timestamp"] > until:
                break
        completed = [one for one in chosen if one["status"] == "COMPLETED"]
        size = completed[-1]["state_size"] if completed else 0
        return Checkpoints(len(completed), len(chosen) - len(completed), int(size))

    def upload(self, jar: Path) -> str:
        """Upload a job jar and return its id."""
        with jar.open("rb") as content:
            files = {"jarfile": (jar.name, content, "application/x-java-archive")}
            answer = _json(self._session.post(f"{self._url}/jars/upload", files=files, timeout=60))
        return str(answer["filename"]).rsplit("/", 1)[-1]

    def run(self, jar_id: str, arguments: Sequence[str], savepoint: str, options: Mapping[str, str]) -> str:
        """Start an uploaded jar from a savepoint and return the job's id."""
        body = {"programArgsList": list(arguments), "savepointPath": savepoint, "flinkConfiguration": dict(options)}
        return str(self.post(f"/jars/{jar_id}/run", body)["jobid"])

    def stop(self, job: str, folder: Path, timeout_s: float = 120.0) -> str:
        """Stop a job with a savepoint (no drain: it goes on later), wait until it has ended, return the savepoint."""
        body = {"targetDirectory": folder.as_uri(), "drain": False, "formatType": "NATIVE"}
        trigger = self.post(f"/jobs/{job}/stop", body)["request-id"]

        def completed() -> Any:
            answer = self.get(f"/jobs/{job}/savepoints/{trigger}")
            return answer.get("operation") if answer["status"]["id"] == "COMPLETED" else None

        operation = await_until(completed, f"the savepoint of job {job}", timeout_s, 0.02)
        if "location" not in operation:
            raise JobEndedError(f"no savepoint of job {job}: {_first_line(str(operation.get('failure-cause')))}")
        ended = await_until(
            lambda: str(state) if (state := self.get(f"/jobs/{job}")["state"]) in _ENDED else None,
            f"job {job} to stop",
            timeout_s,
            0.02,
        )
        if ended != "FINISHED":
            raise JobEndedError(f"job {job} ended as {ended} while it was stopped")
        return str(operation["location"])

    def busy_ms(self, job: str, vertex_name: str) -> dict[int, float]:
        """Return how long each running subtask of the vertex has been busy since it started, in milliseconds."""
        for vertex in self.get(f"/jobs/{job}")["vertices"]:
            if vertex_name in vertex["name"]:
                subtasks = self.get(f"/jobs/{job}/vertices/{vertex['id']}")["subtasks"]
                return {
                    int(subtask["subtask"]): float(subtask["metrics"]["accumulated-busy-time"])
                    for subtask in subtasks
                    if subtask["status"] == "RUNNING"
                }
        raise ValueError(f"job {job} has no vertex named like {vertex_name!r}")

    def check_runs(self, job: str) -> None:
        """Raise ``JobEndedError`` if the job has failed or was cancelled."""
        _check_alive(self, job, str(self.get(f"/jobs/{job}")["state"]), "FINISHED")

    def cause(self, job: str) -> str:
        """Return the first line of what made a job fail."""
        entries = self.get(f"/jobs/{job}/exceptions").get("exceptionHistory", {}).get("entries", [])
        return _first_line(entries[0]["stacktrace"]) if entries else "no cause is known"


def _check_alive(flink: Flink, job: str, state: str, wanted: str) -> None:
    if state in _ENDED and state != wanted:
        raise JobEndedError(f"job {job} is {state} and not {wanted}: {flink.cause(job)}")


def _json(answer: requests.Response) -> Any:
    if not answer.ok:
        raise requests.HTTPError(f"{answer.url}: {answer.status_code} {_first_line(answer.text)}", response=answer)
    return answer.json()


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0][:400] if text.strip() else "no message"
