"""The command lines of the JobManager's and a TaskManager's JVM.

Started by `java -cp` and not by `bin/*.sh`, because then the pid is known at once and is the JVM's own. The memory
figures still are Flink's: its scripts ask a small Java program for them, and so do we.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyctl import flink_config
from pyctl.errors import ClusterError
from pyctl.flink_home import FlinkHome
from pyctl.local_cluster.layout import Layout
from pyctl.local_cluster.process import Role

_MAIN = {
    "jobmanager": "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
    "taskmanager": "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
}
_ZOOKEEPER = "org.apache.flink.runtime.zookeeper.FlinkZooKeeperQuorumPeer"
_ASK = {"jobmanager": "GET_JM_RESOURCE_PARAMS", "taskmanager": "GET_TM_RESOURCE_PARAMS"}
_PREFIX = "BASH_JAVA_UTILS_EXEC_RESULT:"


@dataclass(frozen=True)
class Resources:
    """What Flink derives from the memory options: flags of the JVM, and options to hand to its main class."""

    jvm: tuple[str, ...]
    dynamic: tuple[str, ...]


def resources(java: Path, home: FlinkHome, layout: Layout, role: Role) -> Resources:
    """Ask Flink for the resources of a role. Raises ClusterError with Flink's own words if the options clash."""
    jars = [str(home.root / "bin" / "bash-java-utils.jar"), *map(str, layout.lib.glob("flink-dist*.jar"))]
    done = subprocess.run(
        [str(java), "-XX:TieredStopAtLevel=1", "-cp", os.pathsep.join(jars),
         "org.apache.flink.runtime.util.bash.BashJavaUtils", _ASK[role], "--configDir", str(layout.conf)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    results = [line.removeprefix(_PREFIX) for line in done.stdout.splitlines() if line.startswith(_PREFIX)]
    if done.returncode != 0 or len(results) != 2:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if "Exception" in line]
        # "Exception in thread "main" a.b.SomeException: the sentence", perhaps with a full stop
        cause = lines[0].partition("Exception: ")[2].strip().rstrip(".") if lines else "it gave no reason"
        raise ClusterError(f"Flink finds no memory layout for a {role} with these options: {cause}.")
    return Resources(tuple(results[0].split()), tuple(results[1].split()))


def zookeeper(java: Path, layout: Layout, address: str, port: int, log: Path) -> list[str]:
    """The command line of the ZooKeeper server that Flink's distribution holds; its configuration is written here."""
    config = layout.conf / "zoo.cfg"
    config.write_text(
        f"tickTime=500\ninitLimit=10\nsyncLimit=5\ndataDir={layout.high_availability / 'zookeeper'}\n"
        f"clientPort={port}\nclientPortAddress={address}\nserver.1={address}:2888:3888\n"
    )
    log4j = (layout.conf / "log4j.properties").as_uri()
    return [
        str(java), "-Xmx128m", f"-Dlog.file={log}", f"-Dlog4j.configurationFile={log4j}", "-cp", layout.class_path(),
        _ZOOKEEPER, "--zkConfigFile", str(config), "--peerId", "1",
    ]  # fmt: skip


def command(
    java: Path, layout: Layout, role: Role, resource: Resources, log: Path, extra: Sequence[str] = ()
) -> list[str]:
    """The full command line of a JVM; `extra` are arguments of its main class such as `-D key=value`."""
    config = flink_config.read(layout.conf / "config.yaml")
    # Flink's scripts put the default options of each scope before the user's own.
    keys = [f"env.java.{kind}.{scope}" for scope in ("all", role) for kind in ("default-opts", "opts")]
    opts = [opt for key in keys for opt in shlex.split(str(config.get(key, "")))]
    log4j = (layout.conf / "log4j.properties").as_uri()
    return [
        str(java), "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseG1GC", *resource.jvm, *opts,
        f"-Dlog.file={log}", f"-Dlog4j.configuration={log4j}", f"-Dlog4j.configurationFile={log4j}",
        "-cp", layout.class_path(), _MAIN[role],
        "--configDir", str(layout.conf), *resource.dynamic, *extra,
    ]  # fmt: skip
