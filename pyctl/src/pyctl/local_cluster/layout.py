"""The working folder of a local cluster: own `conf/` and `lib/`, nothing written into the Flink home.

```
DIR/cluster.json         what was started (state file)
DIR/conf/                config.yaml written here, the rest copied from the home
DIR/lib/                 links to the stock jars, a copy of the plug-in jar
DIR/log/ pid/ tmp/ checkpoints/ savepoints/ ha/
```
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pyctl import flink_config, plugin_jar
from pyctl.agent_option import without_agent
from pyctl.errors import ClusterError
from pyctl.flink_home import JAR_NAME, FlinkHome
from pyctl.local_cluster.ports import LOOPBACK


@dataclass(frozen=True)
class Layout:
    """Paths below the working folder."""

    root: Path

    @property
    def state(self) -> Path:
        return self.root / "cluster.json"

    @property
    def conf(self) -> Path:
        return self.root / "conf"

    @property
    def lib(self) -> Path:
        return self.root / "lib"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def pid(self) -> Path:
        return self.root / "pid"

    @property
    def tmp(self) -> Path:
        return self.root / "tmp"

    @property
    def checkpoints(self) -> Path:
        return self.root / "checkpoints"

    @property
    def savepoints(self) -> Path:
        return self.root / "savepoints"

    @property
    def high_availability(self) -> Path:
        """What JobManagers leave to each other, and ZooKeeper's own data."""
        return self.root / "ha"

    def create(self, home: FlinkHome, jar: Path | None) -> None:
        """Fill the folder from the Flink home; `jar` is the plug-in, None for a stock cluster."""
        if any(character.isspace() for character in str(self.root)):
            raise ClusterError(f"The working folder {self.root} has a space in its path: Flink's scripts split there.")
        for folder in (
            self.root,
            self.conf,
            self.log,
            self.pid,
            self.tmp,
            self.checkpoints,
            self.savepoints,
            self.high_availability,
        ):
            folder.mkdir(parents=True, exist_ok=True)
        for source in home.conf.iterdir():
            if source.is_file() and source.name != "config.yaml":
                shutil.copyfile(source, self.conf / source.name)
        # A left-over jar of an earlier start must not get onto the class path.
        shutil.rmtree(self.lib, ignore_errors=True)
        self.lib.mkdir()
        for stock in sorted(home.lib.glob("*.jar")):
            if not plugin_jar.is_plugin(stock):
                (self.lib / stock.name).symlink_to(stock.resolve())
        if jar is not None:
            # A copy and not a link: a JVM crashes if its jar is rebuilt under it.
            shutil.copyfile(jar, self.lib / JAR_NAME)

    def class_path(self) -> str:
        """Jars in the order of Flink's own scripts: sorted, flink-dist last."""
        jars = sorted(self.lib.glob("*.jar"), key=lambda jar: (jar.name.startswith("flink-dist"), jar.name))
        return os.pathsep.join(map(str, jars))

    def environment(self, home: FlinkHome) -> dict[str, str]:
        """The environment in which Flink's scripts and JVMs use this folder instead of the home's own."""
        env = {key: value for key, value in os.environ.items() if not key.startswith("FLINK_")}
        env.update(
            FLINK_HOME=str(home.root),
            FLINK_CONF_DIR=str(self.conf),
            FLINK_LIB_DIR=str(self.lib),
            FLINK_PLUGINS_DIR=str(home.plugins),
            FLINK_LOG_DIR=str(self.log),
            FLINK_PID_DIR=str(self.pid),
        )
        return env


def high_availability(layout: Layout, zookeeper: str) -> dict[str, str]:
    """Options of a cluster with several JobManagers; a lost leader is missed within seconds."""
    return {
        "high-availability.type": "zookeeper",
        "high-availability.zookeeper.quorum": zookeeper,
        "high-availability.zookeeper.client.session-timeout": "10s",
        "high-availability.storageDir": layout.high_availability.as_uri(),
        "high-availability.cluster-id": "default",
    }


def options(
    layout: Layout,
    home: FlinkHome,
    plugged: bool,
    rest_port: int,
    rpc_port: int,
    slots: int,
    given: Mapping[str, str],
    address: str = LOOPBACK,
) -> dict[str, str]:
    """The options of the cluster's `config.yaml`; `given` ones win over all but the agent and the ports.

    `address` is the first JobManager's.
    """
    memory = {
        "jobmanager.memory.process.size": "1g",
        "taskmanager.memory.process.size": "1600m",
        "taskmanager.memory.jvm-metaspace.size": "160m",
        # The heap backend keeps state in the heap: what is managed memory would lie idle.
        "taskmanager.memory.managed.size": "32m",
    }
    # One of the two other ways to size a JVM was chosen: ours would contradict it.
    for role in ("jobmanager", "taskmanager"):
        if any(key.startswith(f"{role}.memory.") and key.endswith(("flink.size", "heap.size")) for key in given):
            memory.pop(f"{role}.memory.process.size")
    if "taskmanager.memory.managed.fraction" in given:
        memory.pop("taskmanager.memory.managed.size")
    of_home = flink_config.read(home.conf / "config.yaml").get(flink_config.OPTS_KEY)
    result = {
        flink_config.OPTS_KEY: without_agent(str(of_home or "")),
        "jobmanager.rpc.address": address,
        "jobmanager.bind-host": address,
        "taskmanager.host": address,
        "taskmanager.bind-host": address,
        "rest.address": address,
        "rest.bind-address": address,
        "taskmanager.numberOfTaskSlots": str(slots),
        "parallelism.default": "1",
        "io.tmp.dirs": str(layout.tmp),
        "execution.checkpointing.dir": layout.checkpoints.as_uri(),
        "execution.checkpointing.savepoint-dir": layout.savepoints.as_uri(),
        **memory,
        **given,
        "jobmanager.rpc.port": str(rpc_port),
        "rest.port": str(rest_port),
        "rest.bind-port": str(rest_port),
    }
    if plugged:
        result[flink_config.OPTS_KEY] += f" -javaagent:{layout.lib / JAR_NAME}"
    return {key: value.strip() for key, value in result.items() if value.strip()}
