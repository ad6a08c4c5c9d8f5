"""The strategy `restart`: stop with a savepoint, and start the same job from it with another parallelism."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from pyctl import submission as submissions
from pyctl.client import Client
from pyctl.errors import Fault, Interrupted, NotReachable, PyctlError, Refused, UsageError
from pyctl.flink_model import JobPlan
from pyctl.job_graph import JobGraph, Operators, look, slot_fault
from pyctl.stopping import Stopped, stop
from pyctl.submission import Program, Submission
from pyctl.whole_job import (
    Change,
    Course,
    Ended,
    await_running,
    changes,
    known,
    not_running,
    options_of,
    refuse,
)

STRATEGY = "restart"
FOLDER, FORMAT = "restart.savepoint-dir", "restart.savepoint-format"
OPTIONS = (FOLDER, FORMAT)
"""The options of this strategy: where the savepoint goes (None: where Flink's options say); native or canonical."""
STOPPING, SUBMITTING, RESTORING, COMPLETED = "STOPPING", "SUBMITTING", "RESTORING", "COMPLETED"
"""The phases. The job does not run from the end of the first until the last."""

_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Prepared:
    """A restart that is checked and ready; `request_id` is the trigger id of the savepoint and the id of the new job.

    So whoever carries it out again, after an interruption, goes on with it: no savepoint is taken twice and no job is
    started twice.
    """

    request_id: str
    job_id: str
    changes: Sequence[Change]
    program: Program
    jar_id: str
    folder: str | None
    native: bool
    cause: str | None

    @property
    def wanted(self) -> dict[str, int]:
        """Parallelism of each vertex that is to be there afterwards."""
        return {change.vertex_id: change.after for change in self.changes}


@contextmanager
def prepared(
    client: Client,
    job_id: str,
    operators: Operators,
    submission: Submission,
    *,
    options: Mapping[str, str] | None = None,
    cause: str | None = None,
    request_id: str | None = None,
) -> Iterator[Prepared]:
    """Check a restart without touching the job, and let it be carried out inside the `with`.

    Flink is asked what job the submission would give: that must be this one, with what is wanted. A jar of this machine
    is uploaded for the time. With the `request_id` of a restart that was interrupted that one goes on. Raises Refused
    with what is wrong, ResolveError, UsageError.
    """
    given = options or {}
    options_of(STRATEGY, given, OPTIONS)
    form = given.get(FORMAT, "native")
    if form not in {"native", "canonical"}:
        raise UsageError(f"{FORMAT} is native or canonical, not {form}.")
    if request_id is not None and not _ID.fullmatch(request_id):
        raise UsageError(f"The id of a restart has 32 hexadecimal digits: {request_id} is none.")
    graph = look(client, job_id)
    wanted = {graph.resolve(name).id: number for name, number in operators}
    refuse([*graph.faults(wanted), *(_not_now(graph) if request_id is None else [])])
    program = submissions.program(submission, lambda name: _number(graph, wanted, name))
    with _uploaded(client, submission) as jar_id:
        plan = _plan(client, jar_id, program)
        after = _after(graph, plan, wanted)
        refuse([] if request_id is not None else [*_unchanged(graph, after), *slot_fault(client, graph, after)])
        yield Prepared(
            request_id or uuid.uuid4().hex, job_id, changes(graph, after), program, jar_id, given.get(FOLDER),
            form == "native", cause,
        )  # fmt: skip


def restart(client: Client, request: Prepared, course: Course) -> Ended:
    """Carry it out, and return when the job runs again with what was wanted.

    Raises Refused if the job cannot be asked to stop, and RescaleFailed if it runs on because there is no savepoint, or
    could not be started again from it: the message names the savepoint then. WaitTimeout and Interrupted name the id
    with which it goes on; the job may stop, and is not started again until then.
    """
    course.about |= {"job_id": request.job_id, "request_id": request.request_id}
    course.resume = (
        f"The job may be stopped now and does not start again by itself: the same command with {request.job_id} as "
        f"JOB and --id {request.request_id} goes on with it."
    )
    try:
        return _restart(client, request, course)
    except KeyboardInterrupt:
        interrupted = Interrupted(f"Interrupted. {course.resume}")
        interrupted.about = course.about
        raise interrupted from None
    except NotReachable as error:
        silent = NotReachable(f"{error} {course.resume}", code=error.faults[0].code)
        silent.about = course.about
        raise silent from error
    except Refused as error:
        if not course.touched:
            raise
        raise course.failed(f"{error} {course.resume}") from error


def _restart(client: Client, request: Prepared, course: Course) -> Ended:
    course.enter(STOPPING)
    warnings, savepoint = [], None
    if known(client, request.request_id) is None:
        stopped = stop(client, request.job_id, request.request_id, course, folder=request.folder, native=request.native)
        course.touched = True
        warnings += [stopped.warning] if stopped.warning else []
        savepoint = stopped.savepoint
        course.about["savepoint"] = savepoint
        course.remedy = f" Its savepoint {savepoint} is still there, to start it from by hand."
        course.enter(SUBMITTING)
        _submit(client, request, stopped, course)
    course.enter(RESTORING)
    job = await_running(client, request.request_id, request.wanted, course)
    missed = [
        f"{vertex.name} has parallelism {vertex.parallelism}, not {request.wanted[vertex.id]}"
        for vertex in job.vertices
        if vertex.id in request.wanted and vertex.parallelism != request.wanted[vertex.id]
    ]
    if missed:
        raise course.failed(
            f"The job runs again as {request.request_id}, but {'; '.join(missed)}: an elastic job keeps the "
            f"parallelism it had reached if it is submitted with the same one as before; rescale it live."
        )
    course.enter(COMPLETED)
    return Ended(
        STRATEGY, request.request_id, request.job_id, request.changes, course.marks, request.request_id, request.cause,
        savepoint, warnings,
    )  # fmt: skip


def _submit(client: Client, request: Prepared, stopped: Stopped, course: Course) -> None:
    """Start the job; an answer that does not come is no answer, so Flink is asked whether it has the job."""
    program = request.program

    def run() -> None:
        try:
            client.run_jar(
                request.jar_id, program.arguments, program.options, entry_class=program.entry_class,
                savepoint=stopped.savepoint, job_id=request.request_id,
            )  # fmt: skip
        except NotReachable:
            if known(client, request.request_id) is None:
                raise
        except Refused as error:
            # An earlier attempt that was not answered has started it: Flink takes an id once.
            if known(client, request.request_id) is None:
                raise course.failed(
                    f"The job {request.job_id} has stopped with the savepoint {stopped.savepoint}, but was not started "
                    f"again: {str(error).rstrip('.')}. {course.resume}"
                ) from error

    course.ask(run)


@contextmanager
def _uploaded(client: Client, submission: Submission) -> Iterator[str]:
    """The id of the jar; one that was uploaded for this is deleted in the end, the job having a copy of its own."""
    if submission.jar is None:
        assert submission.jar_id is not None
        yield submission.jar_id
        return
    jar_id = client.upload_jar(submission.jar)
    try:
        yield jar_id
    finally:
        with suppress(PyctlError):  # A jar too many in the JobManager's folder does not undo what was done.
            client.delete_jar(jar_id)


def _plan(client: Client, jar_id: str, program: Program) -> JobPlan:
    try:
        return client.plan_of_jar(jar_id, program.arguments, program.options, entry_class=program.entry_class)
    except Refused as error:
        why = str(error).rstrip(".")
        raise Refused([Fault("SUBMISSION", f"Flink cannot make a job of the submission: {why}.")]) from error


def _number(graph: JobGraph, wanted: Mapping[str, int], name: str | None) -> int:
    """What stands for `{parallelism:name}`."""
    if name is None:
        if len(wanted) != 1:
            raise UsageError("{parallelism} in the submission does not say of which operator: {parallelism:OPERATOR}.")
        return next(iter(wanted.values()))
    vertex = graph.resolve(name)
    return wanted.get(vertex.id, vertex.parallelism)


def _after(graph: JobGraph, plan: JobPlan, wanted: Mapping[str, int]) -> dict[str, int]:
    """The parallelism of each vertex that changes. Raises Refused if it is another job, or does not do what is wanted.

    The ids of vertices come from those of their first operators. What is chained behind may change with the
    parallelism, so a vertex that is not there any more is no fault.
    """
    planned = {node.id: node.parallelism for node in plan.nodes}
    present = graph.parallelism
    missing = [graph.vertex(vertex).name for vertex in wanted if vertex not in planned]
    if plan.name != graph.job.name or missing:
        what = f"no {' and no '.join(missing)}" if missing else f"the name '{plan.name}'"
        raise Refused([Fault("SUBMISSION", f"The submission is not that of '{graph.job.name}': its job has {what}.")])
    refuse(
        [
            Fault(
                "SUBMISSION",
                f"With this submission {graph.vertex(vertex).name} would have parallelism {planned[vertex]}, not "
                f"{number}: write {{parallelism:{graph.vertex(vertex).name}}} where its parallelism stands.",
            )
            for vertex, number in wanted.items()
            if planned[vertex] != number
        ]
    )
    others = {each: number for each, number in planned.items() if each in present and present[each] != number}
    return {**wanted, **others}


def _unchanged(graph: JobGraph, after: Mapping[str, int]) -> list[Fault]:
    present = graph.parallelism
    if any(present[vertex] != number for vertex, number in after.items()):
        return []
    names = ", ".join(f"{graph.vertex(vertex).name} has {number}" for vertex, number in after.items())
    return [Fault("PARALLELISM_UNCHANGED", f"The parallelism is what it would be after the restart: {names}.")]


def _not_now(graph: JobGraph) -> list[Fault]:
    found = not_running(graph)
    if graph.elastic is not None and graph.elastic.rescales:
        ids = ", ".join(graph.elastic.rescales)
        found.append(
            Fault("RESCALE_IN_PROGRESS", f"A rescale of the job is under way: {ids}; wait for it or abort it.")
        )
    return found
