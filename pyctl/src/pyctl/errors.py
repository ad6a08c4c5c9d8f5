"""What can go wrong, and the exit code that says so.

PyctlError
├── UsageError          an argument that cannot be meant: nothing was sent
├── ResolveError        no job or vertex, or more than one, fits what was given
├── Refused             the JobManager (or the Flink home) answered with faults of the request
├── RescaleFailed       accepted, but it ended in FAILED or ABORTED
├── BenchFailed         a run of a bench failed, or its output was wrong
├── WaitTimeout         still running when the given time was over
├── Interrupted         waiting was broken off by Ctrl-C; what was waited for goes on
├── NotReachable        no answer from the JobManager
│   ├── NoLeader        ZooKeeper knows no leader now, or does not answer
│   └── NotFlink        what answered is a proxy or another program
├── NotPlugged          the cluster answers, but without the plug-in
│   └── OnlyHistory     it is a history server: it cannot be asked for that, or does not know the job
├── ProtocolError       an answer that is not what docs/interfaces.md promises
└── ClusterError        a local cluster could not be started or stopped
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command, as documented in docs/interfaces.md."""

    DONE = 0
    INTERNAL = 1
    USAGE = 2
    REFUSED = 3
    FAILED = 4
    TIMEOUT = 5
    NOT_REACHABLE = 6
    INTERRUPTED = 130


@dataclass(frozen=True)
class Fault:
    """One fault of a request: a stable code for programs, one plain sentence for people."""

    code: str
    message: str


class PyctlError(Exception):
    """Base of all errors that are told to the user in plain sentences, without a traceback.

    `about` stands beside the faults in JSON: ids that a program needs to go on.
    """

    exit_code = ExitCode.INTERNAL
    code = "INTERNAL"

    def __init__(self, message: str, faults: Sequence[Fault] | None = None) -> None:
        super().__init__(message)
        self.faults: tuple[Fault, ...] = tuple(faults) if faults else (Fault(self.code, message),)
        self.about: Mapping[str, str] = {}


class UsageError(PyctlError):
    """An argument that cannot be meant; nothing was sent."""

    exit_code = ExitCode.USAGE
    code = "USAGE"


class ResolveError(PyctlError):
    """No job or vertex, or more than one, fits what was given."""

    exit_code = ExitCode.REFUSED

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, [Fault(code, message)])


class Refused(PyctlError):
    """The request was refused with one or more faults and nothing was touched."""

    exit_code = ExitCode.REFUSED
    code = "REFUSED"

    def __init__(self, faults: Sequence[Fault], status: int | None = None) -> None:
        super().__init__(" ".join(fault.message for fault in faults), faults)
        self.status = status


class RescaleFailed(PyctlError):
    """The rescale was accepted but ended in FAILED or ABORTED."""

    exit_code = ExitCode.FAILED
    code = "RESCALE_FAILED"


class BenchFailed(PyctlError):
    """A run of a bench failed, its output was wrong, or what was recorded cannot be measured."""

    exit_code = ExitCode.FAILED
    code = "BENCH_FAILED"


class WaitTimeout(PyctlError):
    """What was waited for did not happen within the given time; it goes on."""

    exit_code = ExitCode.TIMEOUT
    code = "TIMEOUT"


class Interrupted(PyctlError):
    """The waiting was broken off from the keyboard; what was waited for goes on."""

    exit_code = ExitCode.INTERRUPTED
    code = "INTERRUPTED"


class NotReachable(PyctlError):
    """No answer from the JobManager; `code` says more than NOT_REACHABLE where a repetition is no use."""

    exit_code = ExitCode.NOT_REACHABLE
    code = "NOT_REACHABLE"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message, [Fault(code or self.code, message)])


class NoLeader(NotReachable):
    """ZooKeeper knows no leader now, or does not answer."""


class NotFlink(NotReachable):
    """Something answers at the address, but it is no JobManager: a proxy, or another program."""

    code = "NOT_FLINK"


class NotPlugged(PyctlError):
    """The cluster answers, but its JobManager has no plug-in."""

    exit_code = ExitCode.REFUSED
    code = "NOT_PLUGGED"


class OnlyHistory(NotPlugged):
    """A history server was asked for what it does not have."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, [Fault(code, message)])


class ProtocolError(PyctlError):
    """An answer that does not have the shape promised by docs/interfaces.md."""

    code = "PROTOCOL"


class ClusterError(PyctlError):
    """A local cluster could not be started, changed or stopped."""

    exit_code = ExitCode.FAILED
    code = "CLUSTER"
