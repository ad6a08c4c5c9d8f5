"""`doctor` and `jobs`: what is there."""

from __future__ import annotations

import typer

from pyctl.cli._options import DEFAULT_MASTER, AsJson, CaFile, Master, connect
from pyctl.cli._output import Output
from pyctl.client import Client
from pyctl.errors import ExitCode, NotPlugged, Refused
from pyctl.model import Job, JobVertices

_BULKY = {"placement", "key_groups", "subtasks"}


def doctor(master: Master = DEFAULT_MASTER, ca_file: CaFile = None, as_json: AsJson = False) -> None:
    """Say for each JVM of the cluster whether the plug-in is there and armed; exit code 3 if one lacks it."""
    output = Output(as_json)
    with connect(master, ca_file) as client:
        try:
            overview = client.overview()
        except NotPlugged:
            _stock(client, output)
            raise typer.Exit(ExitCode.REFUSED) from None
    faults = []
    if not overview.armed:
        faults.append(f"The JobManager's plug-in is not armed: {overview.reason or 'no reason given'}.")
    faults += [f"Join point {p.name} does not fit this Flink: {p.target}." for p in overview.join_points if not p.ok]
    lacking = [tm.id for tm in overview.task_managers if tm.armed is False]
    if lacking:
        faults.append(f"The plug-in is missing or not armed on: {', '.join(lacking)}.")
    waiting = [tm.id for tm in overview.task_managers if tm.armed is None]
    rows = [("JobManager", client.base_url, _word(overview.armed))]
    rows += [
        (f"TaskManager {tm.id}", tm.address, _word(tm.armed) + (", drained" if tm.drained else ""))
        for tm in overview.task_managers
    ]
    fine = sum(point.ok for point in overview.join_points)
    if not as_json:
        output.say(
            f"plug-in {overview.version} on Flink {overview.flink_version}, "
            f"{fine} of {len(overview.join_points)} join points fit"
        )
    output.table({**overview.model_dump(mode="json"), "faults": faults}, ("JVM", "ADDRESS", "PLUG-IN"), rows)
    if not as_json:
        for fault in faults:
            output.say(f"error: {fault}")
        gone = {drain.task_manager for drain in overview.drains} - {tm.id for tm in overview.task_managers}
        if gone:
            output.say(f"drained, but not registered: {', '.join(sorted(gone))}")
        if waiting:
            output.say(f"not known yet (first metrics have not arrived): {', '.join(waiting)}")
    if faults:
        raise typer.Exit(ExitCode.REFUSED)


def _stock(client: Client, output: Output) -> None:
    version, managers = client.flink_version(), client.task_managers()
    fault = "The JobManager runs without the plug-in: install it with `pyctl install` and restart the cluster."
    document = {
        "version": None, "flink_version": version, "armed": False, "reason": fault, "join_points": [],
        "task_managers": [{"id": name, "address": None, "armed": None} for name in managers], "faults": [fault],
    }  # fmt: skip
    rows = [("JobManager", client.base_url, "missing")]
    rows += [(f"TaskManager {name}", "", "not known") for name in managers]
    output.table(document, ("JVM", "ADDRESS", "PLUG-IN"), rows)
    if not output.as_json:
        output.say(f"error: {fault}")


def _word(armed: bool | None) -> str:
    return {True: "armed", False: "missing", None: "not known yet"}[armed]


def jobs(
    master: Master = DEFAULT_MASTER,
    ca_file: CaFile = None,
    everything: bool = typer.Option(False, "--all", "-a", help="Ended jobs too."),
    as_json: AsJson = False,
) -> None:
    """List jobs with their elastic vertices."""
    output = Output(as_json)
    documents, rows = [], []
    with connect(master, ca_file) as client:
        for job in client.jobs():
            if job.ended and not everything:
                continue
            vertices, why = _vertices(client, job)
            document = {
                **job.model_dump(),
                "elastic": bool(vertices and vertices.elastic),
                "reason": why,
                "rescale": vertices.rescale if vertices else None,
                "vertices": [v.model_dump(mode="json", exclude=_BULKY) for v in vertices.vertices] if vertices else [],
            }
            documents.append(document)
            rows.append((job.jid, job.name, job.state, _elastic(vertices, why)))
    output.table({"jobs": documents}, ("JOB", "NAME", "STATE", "ELASTIC VERTICES (parallelism/ceiling)"), rows)


def _vertices(client: Client, job: Job) -> tuple[JobVertices | None, str | None]:
    if job.ended:
        return None, "the job has ended"
    try:
        vertices = client.vertices(job.jid)
    except (NotPlugged, Refused) as error:
        return None, error.faults[0].message
    return vertices, vertices.reason


def _elastic(vertices: JobVertices | None, why: str | None) -> str:
    if vertices is None or not vertices.elastic:
        return f"none: {why}" if why else "none"
    return ", ".join(
        f"{v.label} {v.parallelism}/{v.ceiling}" + ("" if v.supported else f" (not supported: {v.reason})")
        for v in vertices.vertices
    )
