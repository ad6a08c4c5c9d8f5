"""`jobs`: what is there."""

from __future__ import annotations

import typer

from pyctl.cli._options import DEFAULT_MASTER, AsJson, CaFile, Master, connect
from pyctl.cli._output import Output
from pyctl.client import Client
from pyctl.errors import NotPlugged, Refused
from pyctl.flink_model import Job
from pyctl.model import JobVertices

_BULKY = {"placement", "key_groups", "subtasks"}


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
