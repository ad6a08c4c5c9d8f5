"""From what a user types to a job and a vertex."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pyctl.client import Client
from pyctl.errors import ResolveError
from pyctl.flink_model import Job
from pyctl.model import JobVertices, Rescale, Vertex

_FULL_ID = re.compile(r"[0-9a-f]{32}")


def resolve_job(client: Client, text: str | None, *, ended: bool = False) -> str:
    """The id of the job meant by `text`: an id, a unique beginning of one, or a name; None means the only one running.

    With `ended` None may also mean the only one that has ended, if none runs. A full id is taken as it is, even if
    Flink does not list it: the JobManager's own answer is the better one.
    Raises ResolveError if no job or more than one fits.
    """
    if text is not None and _FULL_ID.fullmatch(text):
        return text
    jobs = client.jobs()
    live = [job for job in jobs if not job.ended]
    if text is None and ended and not live and jobs:
        return _only(jobs, "", "No job runs, and more than one has ended, so name one").jid
    if text is None:
        return _only(live, "No job runs on this cluster.", "More than one job runs, so name one").jid
    for pool in (live, jobs):
        for fits in (
            [job for job in pool if job.name == text],
            [job for job in pool if job.jid.startswith(text.lower())],
        ):
            if fits:
                return _only(fits, "", f"'{text}' fits more than one job").jid
    raise ResolveError(
        "UNKNOWN_JOB", f"No job has the id, the beginning of an id or the name '{text}'; running: {_list(live)}."
    )


def resolve_vertex(vertices: JobVertices, text: str | None) -> Vertex | None:
    """The vertex meant by `text`: uid, name, vertex id, operator id or a unique beginning of an id.

    None means the only supported elastic one; ResolveError if that is not exactly one. Returns None if `text` fits no
    vertex or several: the JobManager then says so, together with all other faults of the request.
    """
    if text is None:
        usable = [vertex for vertex in vertices.vertices if vertex.supported]
        if len(usable) == 1:
            return usable[0]
        if not vertices.elastic or not vertices.vertices:
            reason = vertices.reason or "it has no elastic vertex"
            raise ResolveError("NOT_ELASTIC", f"The job '{vertices.job_name}' cannot be rescaled: {_plain(reason)}.")
        if not usable:
            reasons = "; ".join(f"{v.label}: {_plain(v.reason or 'no reason given')}" for v in vertices.vertices)
            raise ResolveError("NOT_SUPPORTED", f"No vertex of '{vertices.job_name}' can be rescaled: {reasons}.")
        names = ", ".join(vertex.label for vertex in usable)
        raise ResolveError("AMBIGUOUS_VERTEX", f"The job has {len(usable)} elastic vertices, so name one: {names}.")
    exact = [vertex for vertex in vertices.vertices if vertex.answers_to(text)]
    if exact:
        return exact[0] if len(exact) == 1 else None
    begins = [v for v in vertices.vertices if len(text) >= 4 and v.vertex_id.startswith(text.lower())]
    return begins[0] if len(begins) == 1 else None


def resolve_rescale(client: Client, job_id: str, request_id: str | None, vertex: str | None) -> Rescale:
    """The rescale with this id (or a unique beginning of it); without one the newest, of `vertex` if that is given.

    Raises ResolveError if there is none.
    """
    history = client.history(job_id)
    if request_id is not None:
        fits = [r for r in history if r.request_id == request_id] or [
            r for r in history if r.request_id.startswith(request_id)
        ]
        if len(fits) == 1:
            return fits[0]
        if not fits:
            # Not in the list any more, perhaps: the JobManager has the last word.
            return client.status(job_id, request_id)
        raise ResolveError("AMBIGUOUS_RESCALE", f"'{request_id}' fits {len(fits)} rescales.")
    if vertex is not None:
        known = resolve_vertex(client.vertices(job_id), vertex)
        ids = {vertex} | ({known.vertex_id} if known else set())
        history = [r for r in history if r.concerns(ids)]
    if not history:
        of = f" of '{vertex}'" if vertex is not None else ""
        raise ResolveError("UNKNOWN_RESCALE", f"The job has had no rescale{of} so far.")
    return history[0]


def _only(fits: Sequence[Job], none: str, many: str) -> Job:
    if len(fits) == 1:
        return fits[0]
    if not fits:
        raise ResolveError("UNKNOWN_JOB", none)
    raise ResolveError("AMBIGUOUS_JOB", f"{many}: {_list(fits)}.")


def _list(jobs: Sequence[Job]) -> str:
    return ", ".join(f"{job.jid[:8]} ({job.name})" for job in jobs) or "none"


def _plain(sentence: str) -> str:
    return sentence.strip().rstrip(".")
