"""A Flink cluster of separate JVMs on this machine, bound to the loopback address unless hosts are given."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from pyctl import flink_config
from pyctl.client import Client
from pyctl.clock import SYSTEM, Clock, Deadline
from pyctl.errors import ClusterError, NotReachable, Refused, WaitTimeout
from pyctl.flink_home import FlinkHome, find_flink_home, find_java, find_plugin_jar
from pyctl.leader import locate
from pyctl.local_cluster import jvm, process
from pyctl.local_cluster.hosts import Host, Hosts, one_host
from pyctl.local_cluster.layout import Layout, high_availability, options
from pyctl.local_cluster.ports import LOOPBACK, free_ports
from pyctl.local_cluster.process import JvmProcess

_POLL_S = 0.1
_GRACE_S = 10.0
_PORT_TAKEN = re.compile(r"BindException|Could not start rest endpoint|Address already in use|port range \d+")


class ClusterSpec(BaseModel):
    """What cluster to start."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_managers: int = Field(default=1, ge=0)
    job_managers: int = Field(default=1, ge=1)
    """With more than one there is a ZooKeeper too: one leads, the others stand by."""
    slots: int = Field(default=1, ge=1)
    """Slots per TaskManager."""
    rest_port: int = Field(default=0, ge=0, le=65535)
    """0 picks a free one."""
    stock: bool = False
    """Without the plug-in."""
    jar: Path | None = None
    """The plug-in; None looks for the built one (see `pyctl.flink_home.find_plugin_jar`)."""
    flink_home: Path | None = None
    options: dict[str, str] = Field(default_factory=dict)
    """Flink options on top of the defaults of `pyctl.local_cluster.layout.options`."""


class ClusterState(BaseModel):
    """The state file `cluster.json`: enough to find, judge and stop the processes of a cluster later."""

    flink_home: Path
    plugged: bool
    rest_ports: dict[str, int]
    """By the name of the JobManager; a standby's port serves as well as the leader's."""
    rest_addresses: dict[str, str] = Field(default_factory=dict)
    zookeeper: str | None = None
    """`host:port`."""
    slots: int
    next_task_manager: int = 0
    next_job_manager: int = 0
    processes: list[JvmProcess] = Field(default_factory=list)


class LocalCluster:
    """A JobManager (or several, with a ZooKeeper) and some TaskManagers, each a JVM, in a working folder of their own.

    As a context manager it starts on entry and stops on exit; a folder made by itself (no `directory` given) is
    removed then, unless the body failed: logs are wanted in that case. Not thread-safe.

        with LocalCluster(task_managers=3, slots=2) as cluster:
            cluster.submit("job.jar")
            cluster.get("/overview")
    """

    def __init__(
        self,
        directory: Path | str | None = None,
        *,
        task_managers: int = 1,
        slots: int = 1,
        job_managers: int = 1,
        rest_port: int = 0,
        stock: bool = False,
        jar: Path | None = None,
        flink_home: Path | None = None,
        options: Mapping[str, str] | None = None,
        start_timeout_s: float = 180.0,
        hosts: Hosts = one_host,
        clock: Clock = SYSTEM,
    ) -> None:
        """Nothing is started or written yet; `start` and the context manager do that.

        `options` are Flink options by flat key; `hosts` tells where each JVM runs; the other arguments are those of
        ClusterSpec.
        """
        self.spec = ClusterSpec(
            task_managers=task_managers, slots=slots, job_managers=job_managers, rest_port=rest_port, stock=stock,
            jar=jar, flink_home=flink_home, options=dict(options or {}),
        )  # fmt: skip
        self._own_directory = directory is None
        root = Path(tempfile.mkdtemp(prefix="flink-local-")) if directory is None else Path(directory)
        self.layout = Layout(root.resolve())
        self._start_timeout_s = start_timeout_s
        self._hosts = hosts
        self._clock = clock
        self._state: ClusterState | None = None
        self._resources: jvm.Resources | None = None
        self._job_manager: jvm.Resources | None = None

    @classmethod
    def attach(cls, directory: Path | str) -> LocalCluster:
        """The cluster whose state file lies in `directory`, started by whomever. Raises ClusterError if none is."""
        cluster = cls(directory)
        try:
            cluster._state = ClusterState.model_validate_json(cluster.layout.state.read_text())
        except FileNotFoundError:
            raise ClusterError(f"No cluster was started in {cluster.layout.root}.") from None
        cluster.spec = cluster.spec.model_copy(
            update={"slots": cluster._state.slots, "stock": not cluster._state.plugged}
        )
        return cluster

    # -- what callers ask ------------------------------------------------------------------------------------------

    @property
    def state(self) -> ClusterState:
        """The state of the started cluster. Raises ClusterError before the start and after the stop."""
        if self._state is None:
            raise ClusterError(f"The cluster in {self.layout.root} is not started.")
        return self._state

    @property
    def rest_address(self) -> str:
        """`host:port` of a JobManager that runs, as `pyctl -m` and `flink -m` want it."""
        running = next((p for p in self.job_managers if p.alive()), self.job_managers[0])
        return self.rest_address_of(running)

    def rest_address_of(self, job_manager: JvmProcess) -> str:
        """`host:port` of this JobManager, whether it runs or not."""
        return f"{self.state.rest_addresses[job_manager.name]}:{self.state.rest_ports[job_manager.name]}"

    @property
    def leader_address(self) -> str:
        """What `pyctl -m` wants to find the leader by itself, whoever leads; without standby the REST address."""
        zookeeper = self.state.zookeeper
        return self.rest_address if zookeeper is None else f"zookeeper://{zookeeper}/flink/default"

    @property
    def rest_url(self) -> str:
        return f"http://{self.rest_address}"

    @property
    def job_manager(self) -> JvmProcess:
        return self.job_managers[0]

    @property
    def job_managers(self) -> list[JvmProcess]:
        """JobManagers that were started and not stopped, the leader and those that stand by."""
        return [p for p in self.state.processes if p.role == "jobmanager"]

    @property
    def task_managers(self) -> list[JvmProcess]:
        """TaskManagers that were started and not stopped; each one's name is its Flink resource id."""
        return [p for p in self.state.processes if p.role == "taskmanager"]

    @property
    def home(self) -> FlinkHome:
        return FlinkHome(self.state.flink_home)

    @property
    def environment(self) -> dict[str, str]:
        """Environment for Flink's own scripts and for PyFlink, so that they use this cluster."""
        return self.layout.environment(self.home)

    def flink(self, *arguments: str, timeout_s: float = 120.0, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run Flink's command line client against this cluster.

        With `check` a failure raises ClusterError that holds the client's output.
        """
        done = subprocess.run(
            [str(self.home.command), *arguments], env=self.environment, capture_output=True, text=True,
            timeout=timeout_s, check=False,
        )  # fmt: skip
        if check and done.returncode != 0:
            raise ClusterError(f"flink {arguments[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def submit(self, *arguments: str, timeout_s: float = 120.0) -> str:
        """`flink run -d ARGUMENTS..` (options, jar, the program's own arguments); returns the job id.

        Raises ClusterError with the client's output if the job was not accepted.
        """
        done = self.flink("run", "-d", *arguments, timeout_s=timeout_s)
        found = re.search(r"JobID ([0-9a-f]{32})", done.stdout)
        if found is None:
            raise ClusterError(f"flink run named no job id:\n{done.stdout}{done.stderr}")
        return found.group(1)

    def get(self, path: str, timeout_s: float = 10.0) -> Any:
        """GET of Flink's REST, as parsed JSON; asked once. Raises NotReachable, and Refused for a bad answer."""
        with Client(self.rest_address, retry_s=0, timeout_s=timeout_s) as client:
            return client.get(path)

    # -- life cycle ------------------------------------------------------------------------------------------------

    def start(self) -> Self:
        """Start all JVMs and wait until the JobManager answers and every TaskManager has registered.

        Raises ClusterError if a JVM ends, WaitTimeout after the start time-out; nothing is left running then.
        """
        if self.layout.state.exists() and any(p.alive() for p in LocalCluster.attach(self.layout.root).state.processes):
            raise ClusterError(f"A cluster already runs in {self.layout.root}: stop it first.")
        attempts = 3 if self.spec.rest_port == 0 else 1
        for attempt in range(1, attempts + 1):
            try:
                self._start_once()
                return self
            except BaseException as error:
                lost_port = isinstance(error, ClusterError) and _PORT_TAKEN.search(str(error))
                self.stop()
                if not lost_port or attempt == attempts:
                    raise
        return self

    def _start_once(self) -> None:
        home = find_flink_home(self.spec.flink_home)
        java = find_java()
        jar = None if self.spec.stock else find_plugin_jar(self.spec.jar)
        fault = None if jar is None else home.version_fault()
        if fault is not None:
            raise Refused([fault])
        rest_port, rpc_port, zookeeper_port = free_ports(3)
        rest_port = self.spec.rest_port or rest_port
        self.layout.create(home, jar)
        available = self.spec.job_managers > 1
        zookeeper = f"{self._hosts('zookeeper', 'zookeeper').address}:{zookeeper_port}"
        given = {**(high_availability(self.layout, zookeeper) if available else {}), **self.spec.options}
        address = self._hosts("jobmanager", "jobmanager").address
        config = options(self.layout, home, jar is not None, rest_port, rpc_port, self.spec.slots, given, address)
        (self.layout.conf / "config.yaml").write_text(flink_config.render(config))
        self._state = ClusterState(
            flink_home=home.root, plugged=jar is not None, rest_ports={}, slots=self.spec.slots,
            zookeeper=zookeeper if available else None,
        )  # fmt: skip
        with ThreadPoolExecutor() as pool:
            self._job_manager, self._resources = pool.map(
                lambda role: jvm.resources(java, home, self.layout, role), ("jobmanager", "taskmanager")
            )
        if available:
            log = self.layout.log / "zookeeper.log"
            host = self._hosts("zookeeper", "zookeeper")
            command = jvm.zookeeper(java, self.layout, host.address, zookeeper_port, log)
            self._launch("zookeeper", "zookeeper", host, command, log)
        self._launch_job_manager(java, rest_port)
        for _ in range(1, self.spec.job_managers):
            self._launch_job_manager(java, free_ports(1)[0])
        for _ in range(self.spec.task_managers):
            self._launch_task_manager(java)
        self.await_task_managers(self.spec.task_managers)

    def stop(self) -> None:
        """Stop the processes of this cluster, and only those; a second stop does nothing."""
        if self._state is None:
            return
        state = self._state
        # One that loses what it depends on spends its grace time on reconnecting.
        for role in ("taskmanager", "jobmanager", "zookeeper"):
            process.stop_all([p for p in state.processes if p.role == role], _GRACE_S)
        self.layout.state.unlink(missing_ok=True)
        self._state = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._own_directory and error is None:
            shutil.rmtree(self.layout.root, ignore_errors=True)

    # -- TaskManagers that come and go -----------------------------------------------------------------------------

    def add_task_manager(self, *, wait: bool = True, options: Mapping[str, str] | None = None) -> JvmProcess:
        """Start one more TaskManager; with `wait`, return when it has registered. `options` are its own alone."""
        java = find_java()
        if self._resources is None:
            self._resources = jvm.resources(java, self.home, self.layout, "taskmanager")
        started = self._launch_task_manager(java, options or {})
        if wait:
            self.await_task_manager(started.name)
        return started

    def add_job_manager(self) -> JvmProcess:
        """Start one more JobManager, which stands by until the leader is gone."""
        java = find_java()
        if self._job_manager is None:
            self._job_manager = jvm.resources(java, self.home, self.layout, "jobmanager")
        return self._launch_job_manager(java, free_ports(1)[0])

    def leader(self) -> JvmProcess:
        """The JobManager that ZooKeeper names. Raises NoLeader."""
        url = locate(self.leader_address).address().url
        return next(p for p in self.job_managers if url.endswith(f"//{self.rest_address_of(p)}"))

    def kill_task_manager(self, which: JvmProcess | str, signum: signal.Signals = signal.SIGKILL) -> None:
        """Kill one TaskManager the hard way (or with another signal), as a crash would; return when it is gone."""
        self.kill(
            which if isinstance(which, JvmProcess) else next(p for p in self.task_managers if p.name == which), signum
        )

    def kill(self, victim: JvmProcess, signum: signal.Signals = signal.SIGKILL) -> None:
        """Kill a process as a crash would; return when it is gone."""
        victim.send(signum)
        if not victim.wait_gone(_GRACE_S):
            raise ClusterError(f"{victim.name} (pid {victim.pid}) still runs {_GRACE_S:.0f} s after {signum.name}.")
        self.state.processes.remove(victim)
        self._save()

    def await_task_managers(self, count: int, timeout_s: float | None = None) -> None:
        """Wait until at least `count` TaskManagers have registered."""
        self._await(lambda: len(self._registered()) >= count, f"{count} TaskManagers", timeout_s)

    def await_task_manager(self, name: str, timeout_s: float | None = None) -> None:
        """Wait until the TaskManager `name` has registered."""
        self._await(lambda: name in self._registered(), name, timeout_s)

    def _registered(self) -> list[str]:
        # A TaskManager is listed a moment before its slots are: it is of no use until then.
        return [tm["id"] for tm in self.get("/taskmanagers")["taskmanagers"] if tm["slotsNumber"] > 0]

    def _await(self, ready: Any, what: str, timeout_s: float | None) -> None:
        timeout_s = self._start_timeout_s if timeout_s is None else timeout_s
        deadline = Deadline(self._clock, timeout_s)
        while True:
            for jvm_process in self.state.processes:
                if not jvm_process.alive():
                    raise ClusterError(f"The {jvm_process.name} ended. Its last lines:\n{jvm_process.tail()}")
            try:
                if ready():
                    return
            except (NotReachable, Refused):
                pass  # not up yet, or up without a leader: asked again below
            if deadline.over:
                raise WaitTimeout(f"{what} did not register within {timeout_s:.0f} s; logs are in {self.layout.log}.")
            self._clock.sleep(_POLL_S)

    def _launch_job_manager(self, java: Path, rest_port: int) -> JvmProcess:
        assert self._job_manager is not None
        number = self.state.next_job_manager
        self.state.next_job_manager += 1
        name = "jobmanager" if number == 0 else f"jobmanager-{number}"
        host = self._hosts("jobmanager", name)
        self.state.rest_ports[name] = rest_port
        self.state.rest_addresses[name] = host.address
        own = {"rest.port": str(rest_port), "rest.bind-port": str(rest_port)}
        own |= _bound_to(host, "jobmanager.rpc.address", "jobmanager.bind-host", "rest.address", "rest.bind-address")
        return self._launch_flink(java, "jobmanager", name, host, self._job_manager, own)

    def _launch_task_manager(self, java: Path, own: Mapping[str, str] | None = None) -> JvmProcess:
        assert self._resources is not None
        name = f"taskmanager-{self.state.next_task_manager}"
        self.state.next_task_manager += 1
        host = self._hosts("taskmanager", name)
        address = _bound_to(host, "taskmanager.host", "taskmanager.bind-host")
        all_own = {"taskmanager.resource-id": name, **address, **(own or {})}
        return self._launch_flink(java, "taskmanager", name, host, self._resources, all_own)

    def _launch_flink(
        self, java: Path, role: process.Role, name: str, host: Host, resource: jvm.Resources, own: Mapping[str, str]
    ) -> JvmProcess:
        log = self.layout.log / f"{name}.log"
        extra = [text for key, value in own.items() for text in ("-D", f"{key}={value}")]
        return self._launch(role, name, host, jvm.command(java, self.layout, role, resource, log, extra), log)

    def _launch(self, role: process.Role, name: str, host: Host, command: Sequence[str], log: Path) -> JvmProcess:
        env = {**self.environment, "FLINK_IDENT_STRING": f"local-{os.getpid()}"}
        started = process.start(
            role, name, [*host.enter, *command], env, self.layout.root, log, log.with_suffix(".out")
        )
        self.state.processes.append(started)
        self._save()
        return started

    def _save(self) -> None:
        """Write the state file at once after each start, so that an interrupted start can still be stopped."""
        fresh = self.layout.state.with_suffix(".tmp")
        fresh.write_text(self.state.model_dump_json(indent=2))
        fresh.replace(self.layout.state)


def _bound_to(host: Host, *options: str) -> dict[str, str]:
    """On another host than this one these options hold its address; here they are the cluster's."""
    return {} if host.address == LOOPBACK else dict.fromkeys(options, host.address)
