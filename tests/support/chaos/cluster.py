"""The cluster that faults happen to: two JobManagers, three TaskManagers and a ZooKeeper, each JVM on its own host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from chaos.case import FAULTS_OF_NETWORK, Fault
from chaos.disk import SmallDisk, mounted
from chaos.network import Network
from chaos.probe import ask
from drrs_jobs.waiting import await_until
from harness.cluster import OPTIONS, PLUGIN_JAR
from harness.processes import JVMS, ProcessCluster
from pyctl.local_cluster import LocalCluster
from pyctl.local_cluster.hosts import one_host
from pyctl.local_cluster.process import JvmProcess

TASK_MANAGERS = 3
JOB_MANAGERS = 2
SLOTS = 3
STRENGTH_LIMIT_S = 90.0

_OPTIONS = {
    # As users have it: faults may fall into a rehearsal, too.
    "drrs.rehearsal": "true",
    # Spread, so that a fault meets a part of the job.
    "taskmanager.load-balance.mode": "SLOTS",
    "slot.idle.timeout": "1s",
    "heartbeat.timeout": "12s",
    # A request for a partition that is not there yet, and is given up before it is, leaves a reader of it (and so the
    # partition and its Task) in the connection for as long as that lasts: in Flink itself, whose connections outlive
    # the jobs by default.
    "taskmanager.network.tcp-connection.enable-reuse-across-jobs": "false",
    # A metric that is asked from a host that is cut off holds up all others as long.
    "web.timeout": "25s",
    "restart-strategy.fixed-delay.delay": "500ms",
}


class ChaosCluster(ProcessCluster):
    """A cluster whose processes come and go. `network` and `disk` are None where they cannot be had."""

    def __init__(self, local: LocalCluster, network: Network | None, disk: SmallDisk | None) -> None:
        super().__init__(local)
        self.network = network
        self.disk = disk
        self.unheard: set[str] = set()
        """JobManagers that a fault keeps from answering now."""

    @property
    def url(self) -> str:
        heard = [p for p in self.local.job_managers if p.name not in self.unheard and p.alive()]
        return f"http://{self.local.rest_address_of((heard or self.local.job_managers)[0])}"

    def kill(self, victim: JvmProcess) -> None:
        """Kill it and start another of its kind, without waiting for that."""
        self.local.kill(victim)
        if victim.role == "jobmanager":
            self.local.add_job_manager()
        else:
            self.local.add_task_manager(wait=False)

    def restore_strength(self) -> list[str]:
        """Replace what has ended by itself, and wait until all TaskManagers are there; returns the ended ones."""
        ended = [p for p in [*self.local.job_managers, *self.local.task_managers] if not p.alive()]
        for process in ended:
            self.kill(process)
        names = {process.name for process in self.local.task_managers}

        def complete() -> bool:
            answer = ask(self, "/taskmanagers")
            return answer is not None and {tm["id"] for tm in answer["taskmanagers"] if tm["slotsNumber"]} == names

        await_until(complete, f"exactly {', '.join(sorted(names))}", STRENGTH_LIMIT_S, 0.2)
        return [process.name for process in ended]


def missing() -> dict[Fault, str]:
    """Faults that cannot be made here, and why."""
    found: dict[Fault, str] = {}
    why = Network.missing()
    if why:
        found |= dict.fromkeys(sorted(FAULTS_OF_NETWORK), why)
    why = SmallDisk.missing()
    if why:
        found[Fault.FULL_DISK] = why
    return found


@contextmanager
def started(directory: Path, without: frozenset[Fault]) -> Iterator[ChaosCluster]:
    """A cluster below `directory`; faults in `without` are not to be prepared."""
    with ExitStack() as stack:
        network = None if FAULTS_OF_NETWORK & without else stack.enter_context(Network())
        disk = None
        if Fault.FULL_DISK not in without:
            disk = stack.enter_context(mounted(directory / "checkpoints"))
        local = LocalCluster(
            directory, task_managers=TASK_MANAGERS, slots=SLOTS, job_managers=JOB_MANAGERS, jar=PLUGIN_JAR,
            options=OPTIONS | JVMS | _OPTIONS, hosts=network.host if network else one_host,
        )  # fmt: skip
        yield ChaosCluster(stack.enter_context(local), network, disk)
