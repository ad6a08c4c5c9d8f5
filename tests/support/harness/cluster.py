"""A real cluster, one for many tests, and Flink's REST as far as the tests need it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

from drrs_jobs.waiting import await_until
from pyctl.client import Client
from pyctl.local import LocalCluster

ROOT = Path(__file__).resolve().parents[3]
PLUGIN_JAR = ROOT / "flink-plugin/dist/target/drrs-flink-plugin.jar"
JOB_JAR = ROOT / "jobs/nexmark/target/drrs-nexmark.jar"
MAIN_CLASS = "dev.drrs.nexmark.NexmarkJob"
ENDED = frozenset({"FINISHED", "FAILED", "CANCELED"})

OPTIONS = {
    "web.refresh-interval": "20ms",
    "web.checkpoints.history": "500",
    "metrics.fetcher.update-interval": "500ms",
    # A killed TaskManager is missed within seconds, a busy one is not.
    "heartbeat.interval": "1s",
    "heartbeat.timeout": "15s",
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "1000",
    "restart-strategy.fixed-delay.delay": "1s",
    "taskmanager.memory.process.size": "1200m",
    "jobmanager.memory.process.size": "1200m",
}


class Cluster:
    """A LocalCluster with the job's jar uploaded: submitting over REST costs no JVM of its own."""

    def __init__(self, local: LocalCluster) -> None:
        self.local = local
        self.client = Client(local.rest_address)
        self._jar: str | None = None

    @property
    def address(self) -> str:
        """`host:port` of the JobManager's REST."""
        return self.local.rest_address

    def get(self, path: str) -> Any:
        """GET, as parsed JSON; raises `requests.HTTPError`."""
        return self.local.get(path)

    def post(self, path: str, body: Any) -> requests.Response:
        """POST of JSON (or of raw bytes), whatever the answer is."""
        if isinstance(body, bytes):
            return requests.post(self.local.rest_url + path, data=body, timeout=30)
        return requests.post(self.local.rest_url + path, json=body, timeout=30)

    def submit(self, arguments: Sequence[str], options: Mapping[str, str]) -> str:
        """Submit the Nexmark job; `options` are Flink's and the plug-in's, for this job. Returns the job id."""
        body = {
            "entryClass": MAIN_CLASS, "programArgsList": list(arguments), "flinkConfiguration": dict(options)
        }  # fmt: skip
        answer = self.post(f"/jars/{self._uploaded()}/run", body)
        if not answer.ok:
            raise AssertionError(f"the job was not accepted: {answer.text[:2000]}")
        return str(answer.json()["jobid"])

    def _uploaded(self) -> str:
        if self._jar is None:
            with JOB_JAR.open("rb") as jar:
                files = {"jarfile": (JOB_JAR.name, jar, "application/x-java-archive")}
                answer = requests.post(self.local.rest_url + "/jars/upload", files=files, timeout=30)
            answer.raise_for_status()
            self._jar = answer.json()["filename"].rpartition("/")[2]
        return self._jar

    def state(self, job: str) -> str:
        """Flink's state of a job."""
        return str(self.get(f"/jobs/{job}")["state"])

    def stop(self, job: str) -> None:
        """Stop with a savepoint: all that was read is processed and written."""
        answer = self.post(f"/jobs/{job}/stop", {"drain": False})
        assert answer.ok, answer.text[:2000]

    def end(self, job: str) -> None:
        """Cancel the job, unless it has ended, and wait until its slots are free."""
        if self.state(job) not in ENDED:
            requests.patch(f"{self.local.rest_url}/jobs/{job}", timeout=30)
            await_until(lambda: self.state(job) in ENDED, f"the end of job {job}", 60)
        self.await_free_slots()

    def await_free_slots(self) -> None:
        """Wait until no slot is taken."""
        await_until(lambda: _all_free(self.get("/overview")), "all slots to be free", 60)


def _all_free(overview: Mapping[str, int]) -> bool:
    return overview["slots-total"] > 0 and overview["slots-available"] == overview["slots-total"]


@contextmanager
def started(directory: Path, *, task_managers: int, slots: int, **options: str) -> Iterator[Cluster]:
    """A cluster of JVMs with the plug-in; `directory` holds its logs."""
    for jar in (PLUGIN_JAR, JOB_JAR):
        assert jar.is_file(), f"{jar} is missing: make jars"
    settings = OPTIONS | {name.replace("__", "-").replace("_", "."): value for name, value in options.items()}
    with LocalCluster(
        directory, task_managers=task_managers, slots=slots, jar=PLUGIN_JAR, options=settings
    ) as local:  # fmt: skip
        yield Cluster(local)
