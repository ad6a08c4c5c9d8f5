"""How each fault is made, when it may end, and how it is ended."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from chaos.case import Fault
from chaos.cluster import ChaosCluster
from chaos.probe import ask
from pyctl.errors import NotReachable, Refused
from pyctl.local_cluster.process import JvmProcess

BRIEF_S = 3.0
"""Far below the heartbeat's time-out."""
SLOW_S = 8.0


@dataclass(frozen=True)
class Injected:
    """A fault under way: whether it has lasted long enough, and what ends it."""

    lasted: Callable[[], bool]
    heal: Callable[[], None]


def inject(cluster: ChaosCluster, fault: Fault, victim: JvmProcess | None, job: str, request_id: str) -> Injected:
    """Make it happen; returns at once."""
    if fault is Fault.WITHDRAWAL:
        return _withdraw(cluster, job, request_id)
    if fault is Fault.FULL_DISK:
        return _full_disk(cluster, job)
    assert victim is not None
    if fault is Fault.KILL:
        cluster.kill(victim)
        return Injected(lambda: True, lambda: None)
    begin, end = _pair(cluster, fault, victim)
    if victim.role == "jobmanager" and fault is not Fault.SLOW_LINK:
        cluster.unheard.add(victim.name)
    begin()

    def heal() -> None:
        end()
        cluster.unheard.discard(victim.name)

    if fault in {Fault.LONG_STOP, Fault.LONG_CUT}:
        return Injected(lambda: _is_missed(cluster, victim), heal)
    since = time.monotonic()
    least = SLOW_S if fault is Fault.SLOW_LINK else BRIEF_S
    return Injected(lambda: time.monotonic() - since >= least, heal)


def _pair(cluster: ChaosCluster, fault: Fault, victim: JvmProcess) -> tuple[Callable[[], None], Callable[[], None]]:
    if fault in {Fault.BRIEF_STOP, Fault.LONG_STOP}:
        return lambda: victim.send(signal.SIGSTOP), lambda: victim.send(signal.SIGCONT)
    network, name = cluster.network, victim.name
    assert network is not None
    if fault is Fault.SLOW_LINK:
        return lambda: network.slow(name), lambda: network.quicken(name)
    return lambda: network.cut(name), lambda: network.join(name)


def _is_missed(cluster: ChaosCluster, victim: JvmProcess) -> bool:
    if victim.role == "jobmanager":
        try:
            return cluster.local.leader().name != victim.name
        except NotReachable:
            return False
    answer = ask(cluster, "/taskmanagers")
    return answer is not None and victim.name not in {tm["id"] for tm in answer["taskmanagers"]}


def _full_disk(cluster: ChaosCluster, job: str) -> Injected:
    """Until a checkpoint has failed of it, or the job has."""
    disk = cluster.disk
    assert disk is not None
    path = f"/jobs/{job}/checkpoints"
    failed = cluster.get(path)["counts"]["failed"]
    disk.fill()

    def lasted() -> bool:
        answer = ask(cluster, path)
        return answer is not None and answer["counts"]["failed"] > failed

    return Injected(lasted, disk.free)


def _withdraw(cluster: ChaosCluster, job: str, request_id: str) -> Injected:
    """It is accepted, or it is too late and the answer says so."""
    try:
        cluster.client.abort(job, request_id)
    except Refused as refused:
        if [fault.code for fault in refused.faults] != ["NOT_ABORTABLE"]:
            raise
    return Injected(lambda: True, lambda: None)
