"""`local up|status|down`: a cluster of separate JVMs on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pyctl.cli._options import AsJson, Home, Jar, Properties, properties
from pyctl.cli._output import Output
from pyctl.errors import ExitCode, NotReachable, Refused
from pyctl.local_cluster import LocalCluster

app = typer.Typer(no_args_is_help=True, help="A Flink cluster of separate JVMs on this machine.")

Directory = Annotated[
    Path, typer.Option("--dir", metavar="DIR", help="Working folder; several clusters run side by side in several.")
]
DEFAULT_DIRECTORY = Path("flink-local")


@app.command()
def up(
    directory: Directory = DEFAULT_DIRECTORY,
    task_managers: Annotated[int, typer.Option("--task-managers", metavar="N", min=0, help="TaskManagers.")] = 3,
    job_managers: Annotated[
        int, typer.Option("--job-managers", metavar="N", min=1, help="With more than 1: a ZooKeeper, and standbys.")
    ] = 1,
    slots: Annotated[int, typer.Option("--slots", metavar="N", min=1, help="Slots of each TaskManager.")] = 2,
    rest_port: Annotated[
        int, typer.Option("--rest-port", metavar="PORT", min=0, max=65535, help="REST port; 0 picks a free one.")
    ] = 8081,
    stock: Annotated[bool, typer.Option("--stock", help="Without the plug-in.")] = False,
    jar: Jar = None,
    flink_home: Home = None,
    given: Properties = None,
    timeout: Annotated[float, typer.Option("--timeout", metavar="SECONDS", help="For the start.")] = 180.0,
    as_json: AsJson = False,
) -> None:
    """Start a JobManager and TaskManagers on 127.0.0.1 and wait until all have registered."""
    cluster = LocalCluster(
        directory, task_managers=task_managers, slots=slots, job_managers=job_managers, rest_port=rest_port,
        stock=stock, jar=jar, flink_home=flink_home, options=properties(given), start_timeout_s=timeout,
    ).start()  # fmt: skip
    kind = "with the plug-in" if cluster.state.plugged else "stock"
    Output(as_json).data(
        _document(cluster),
        [
            f"Flink ({kind}) is up at {cluster.leader_address}: TaskManagers: {task_managers}, slots of each: {slots}, "
            f"folder {cluster.layout.root}"
        ],
    )


@app.command()
def status(directory: Directory = DEFAULT_DIRECTORY, as_json: AsJson = False) -> None:
    """Show the processes of a cluster and whether it answers; exit code 4 if a process is gone, 6 if REST is silent."""
    cluster = LocalCluster.attach(directory)
    output = Output(as_json)
    document = _document(cluster)
    output.table(
        document,
        ("PROCESS", "PID", "STATE"),
        [(p["name"], str(p["pid"]), "running" if p["alive"] else "gone") for p in document["processes"]],
    )
    if not as_json:
        state = "answers" if document["reachable"] else "does not answer"
        output.say(f"REST at {cluster.rest_address} {state}; folder {cluster.layout.root}")
    if not all(p["alive"] for p in document["processes"]):
        raise typer.Exit(ExitCode.FAILED)
    if not document["reachable"]:
        raise typer.Exit(ExitCode.NOT_REACHABLE)


@app.command()
def down(directory: Directory = DEFAULT_DIRECTORY, as_json: AsJson = False) -> None:
    """Stop the processes of a cluster, by pid and start time: never one that it did not start."""
    output = Output(as_json)
    if not (directory / "cluster.json").exists():
        output.data({"dir": str(directory.resolve()), "stopped": []}, [f"no cluster runs in {directory}"])
        return
    cluster = LocalCluster.attach(directory)
    stopped = [p.name for p in cluster.state.processes if p.alive()]
    cluster.stop()
    output.data({"dir": str(cluster.layout.root), "stopped": stopped}, [f"stopped: {', '.join(stopped) or 'nothing'}"])


def _document(cluster: LocalCluster) -> dict[str, Any]:
    try:
        cluster.get("/overview", timeout_s=5)
        reachable = True
    except (NotReachable, Refused):
        reachable = False
    return {
        "dir": str(cluster.layout.root),
        "rest_address": cluster.rest_address,
        "leader_address": cluster.leader_address,
        "plugged": cluster.state.plugged,
        "reachable": reachable,
        "flink_home": str(cluster.state.flink_home),
        "processes": [
            {"role": p.role, "name": p.name, "pid": p.pid, "alive": p.alive(), "log": str(p.log)}
            for p in cluster.state.processes
        ],
        "environment": {k: v for k, v in cluster.environment.items() if k.startswith("FLINK_")},
    }
