"""A JVM that we started: known by its pid *and* its start time, so that a reused pid is never taken for it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pyctl.clock import SYSTEM, Clock, Deadline
from pyctl.errors import ClusterError

Role = Literal["zookeeper", "jobmanager", "taskmanager"]

_POLL_S = 0.05

# Children of this interpreter must be reaped by it: until then a dead one still has its pid.
_children: dict[int, subprocess.Popen[bytes]] = {}


class JvmProcess(BaseModel):
    """One JVM of a local cluster, as written down in the cluster's state file."""

    model_config = ConfigDict(frozen=True)

    role: Role
    name: str
    pid: int
    started: str
    """Start time as the operating system tells it; only ever compared for equality."""
    log: Path
    out: Path

    def alive(self) -> bool:
        """Whether this very process still runs."""
        child = _children.get(self.pid)
        if child is not None and child.poll() is not None:
            del _children[self.pid]
            return False
        return start_time(self.pid) == self.started

    def send(self, signum: signal.Signals) -> None:
        """Send a signal, if the process still is ours; a process that is gone is no error."""
        if not self.alive():
            return
        try:
            os.kill(self.pid, signum)
        except ProcessLookupError:
            return

    def wait_gone(self, timeout_s: float, clock: Clock = SYSTEM) -> bool:
        """Wait until the process is gone; False if it still runs after `timeout_s` seconds."""
        deadline = Deadline(clock, timeout_s)
        child = _children.get(self.pid)
        if child is not None:
            try:
                child.wait(timeout_s)
            except subprocess.TimeoutExpired:
                return False
        # Started by another interpreter: the system has no event for the end of a process that is not a child.
        while self.alive():
            if deadline.over:
                return False
            clock.sleep(_POLL_S)
        return True

    def tail(self, lines: int = 15) -> str:
        """The last lines of log and standard output, to explain why a process ended."""
        texts = [path.read_text(errors="replace") for path in (self.log, self.out) if path.is_file()]
        return "\n".join(line for text in texts for line in text.splitlines()[-lines:])


def start(
    role: Role, name: str, command: Sequence[str], env: Mapping[str, str], cwd: Path, log: Path, out: Path
) -> JvmProcess:
    """Start a JVM that outlives this interpreter; its standard output and error go to `out`."""
    with out.open("wb") as sink:
        try:
            child = subprocess.Popen(
                list(command),
                env=dict(env),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise ClusterError(f"The {name} could not be started: {error}.") from error
    _children[child.pid] = child
    # It may have ended by now. Nobody gets its pid before it is reaped, and whoever looks for it says why it ended.
    entry = _entry(child.pid)
    if entry is None:
        raise ClusterError(f"The {name} cannot be found among the processes; its output is in {out}.")
    return JvmProcess(role=role, name=name, pid=child.pid, started=entry[1], log=log, out=out)


def stop_all(processes: Sequence[JvmProcess], grace_s: float) -> None:
    """Stop processes side by side: SIGTERM, then SIGKILL for what still runs after `grace_s` seconds.

    Raises ClusterError if one survives even that.
    """
    for process in processes:
        process.send(signal.SIGTERM)
    deadline = Deadline(SYSTEM, grace_s)
    stubborn = [p for p in processes if not p.wait_gone(max(0.0, deadline.left() or 0.0))]
    for process in stubborn:
        process.send(signal.SIGKILL)
    left = [p for p in stubborn if not p.wait_gone(5.0)]
    if left:
        names = ", ".join(f"{p.name} (pid {p.pid})" for p in left)
        raise ClusterError(f"Still running after SIGKILL: {names}.")


def start_time(pid: int) -> str | None:
    """The start time of a running process as text, or None if there is no such process or it is a zombie."""
    entry = _entry(pid)
    return None if entry is None or entry[0].startswith("Z") else entry[1]


def _entry(pid: int) -> tuple[str, str] | None:
    """State and start time of a process, a zombie too; None if there is no such process."""
    proc = Path("/proc")
    if (proc / "self" / "stat").exists():
        try:
            # The command name is in brackets and may hold anything, so count the fields behind it.
            fields = (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return fields[0], fields[19]
    done = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, started = done.stdout.strip().partition(" ")
    return (state, started.strip()) if state else None
