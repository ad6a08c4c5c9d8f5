"""A cluster under test: Flink's REST as far as the tests need it. How it is started is up to the kinds of cluster."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from drrs_jobs.job_run import await_savepoint
from drrs_jobs.waiting import await_until
from harness.limits import LIMIT_S
from pyctl import flink_model
from pyctl.client import Client
from pyctl.rest import Response

ROOT = Path(__file__).resolve().parents[3]
TESTED = ROOT / "build/tested"
PLUGIN_JAR = TESTED / "drrs-flink-plugin.jar"
JOB_JAR = TESTED / "drrs-nexmark.jar"
ENDED = flink_model.ENDED

QUICK = ("-XX:TieredStopAtLevel=1", "-Dpekko.scheduler.tick-duration=100ms")
"""Of each JVM of a test: jobs of seconds are over before the compiler's best code is there, and of a dozen JVMs most
wait. Each of them has two schedulers, which wake up 100 times a second otherwise."""

OPTIONS = {
    "web.refresh-interval": "20ms",
    "web.checkpoints.history": "500",
    "metrics.fetcher.update-interval": "500ms",
    # A killed TaskManager is missed within seconds, a busy one is not.
    "heartbeat.interval": "1s",
    "heartbeat.timeout": "30s",
    # After that the resource manager says at once that it has no slots; the default is five minutes.
    "resourcemanager.standalone.start-up-time": "5s",
    # Without end: the loss of a TaskManager is noticed only after some attempts to deploy to it.
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "1000",
    "restart-strategy.fixed-delay.delay": "1s",
    # A second or two of CPU in each TaskManager, for a first rescale that nobody measures here.
    "drrs.rehearsal": "false",
    # What the tests' own jobs have and the plug-in cannot know: they keep nothing that a rescale would have to move.
    "drrs.operators.trusted": (
        "dev.drrs.nexmark.query.ManyInputsOperator;dev.drrs.gateway.KeepNumbers;dev.drrs.gateway.NumberBids"
    ),
}


class Cluster(ABC):
    """A cluster with the plug-in, at `address` (what `pyctl -m` takes), with its `logs`."""

    def __init__(self, address: str, logs: Path) -> None:
        for jar in (PLUGIN_JAR, JOB_JAR):
            assert jar.is_file(), f"{jar} is missing: make tested"
        self.address = address
        self.logs = logs
        self.client = Client(address, timeout_s=LIMIT_S)
        self._at: dict[tuple[int, str], Client] = {}

    @property
    def url(self) -> str:
        """URL of Flink's REST."""
        return f"http://{self.address}"

    @property
    def rest(self) -> Client:
        """The client of the JobManager at `url`, which need not be the leader."""
        # A client is of one thread.
        at = (threading.get_ident(), self.url)
        if at not in self._at:
            self._at[at] = Client(self.url, timeout_s=LIMIT_S)
        return self._at[at]

    @abstractmethod
    def submit(self, arguments: Sequence[str], options: Mapping[str, str]) -> str:
        """Submit the Nexmark job; `options` are Flink's and the plug-in's, for this job. Returns the job id."""

    def get(self, path: str) -> Any:
        """GET, as parsed JSON; raises `pyctl.errors.Refused`."""
        return self.rest.get(path)

    def post(self, path: str, body: Any) -> Response:
        """POST of JSON (or of raw bytes), whatever the answer is."""
        return self.rest.exchange("POST", path, body if isinstance(body, bytes) else json.dumps(body).encode())

    def state(self, job: str) -> str:
        """Flink's state of a job."""
        return str(self.get(f"/jobs/{job}")["state"])

    def stop(self, job: str, *, native: bool = False) -> str:
        """Stop with a savepoint, and wait for it: all that was read is processed and written. Returns its path."""
        return await_savepoint(self.rest, job, self.rest.trigger_savepoint(job, stop=True, native=native), LIMIT_S)

    def drain(self, job: str) -> str:
        """Stop with a savepoint as if all data had ended, and wait for it. Returns its path."""
        answer = self.post(f"/jobs/{job}/stop", {"drain": True})
        return await_savepoint(self.rest, job, answer.json()["request-id"], LIMIT_S)

    def savepoint(self, job: str, *, native: bool = False) -> str:
        """Take a savepoint of a job that goes on; returns its path."""
        # Waited for also because a JobManager that is shut down waits for minutes for somebody to ask.
        return await_savepoint(self.rest, job, self.rest.trigger_savepoint(job, native=native), LIMIT_S)

    def end(self, job: str, *, alone: bool = True) -> None:
        """Cancel the job, unless it has ended, and wait until all slots are free if it was `alone`."""
        if self.state(job) not in ENDED:
            self.rest.cancel(job)
            await_until(lambda: self.state(job) in ENDED, f"the end of job {job}", LIMIT_S)
        if alone:
            await_until(lambda: _all_free(self.get("/overview")), "all slots to be free", LIMIT_S)


def _all_free(overview: Mapping[str, int]) -> bool:
    return overview["slots-total"] > 0 and overview["slots-available"] == overview["slots-total"]
