"""`drain` and `undrain`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from pyctl.cli._options import DEFAULT_MASTER, AsJson, CaFile, Master, Properties, connect, properties
from pyctl.cli._output import Output
from pyctl.cli._plans import (
    DEFAULT_SUBSCALE_BYTES,
    BalanceChoice,
    Cause,
    Strategy,
    SubscaleBytes,
    expected_document,
)
from pyctl.cli._plans import options as planner_options
from pyctl.cli._progress import Bar
from pyctl.drain_survey import Handover, Survey, Wish, resolve_drained, survey
from pyctl.draining import Drained
from pyctl.draining import drain as carry_out
from pyctl.errors import ExitCode, Refused, UsageError
from pyctl.execution import Execution
from pyctl.report import plan_lines, seconds, size

TaskManagerArgument = Annotated[
    str, typer.Argument(metavar="TASKMANAGER", help="Resource id, a unique beginning of it, or host:port.")
]


def drain(
    task_manager: TaskManagerArgument,
    onto_remaining: Annotated[
        bool,
        typer.Option(
            "--onto-remaining",
            help="Where no dormant subtask or slot is left elsewhere, let active subtasks take over: fewer remain.",
        ),
    ] = False,
    strategy: Strategy = "drrs",
    subscale_bytes: SubscaleBytes = DEFAULT_SUBSCALE_BYTES,
    cause: Cause = None,
    given: Properties = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="Give up waiting after this time: exit code 5.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan and check only.")] = False,
    master: Master = DEFAULT_MASTER,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Move every elastic subtask off a TaskManager, live, and let nothing new be placed there until `undrain`.

    All operators of all jobs are checked before anything is touched. Tasks that no rescale moves (sources, sinks) are
    named and stay. Exit code 0: no elastic work is left there.
    """
    if timeout is not None and timeout <= 0:
        raise UsageError("--timeout must be above 0 seconds.")
    output = Output(as_json)
    options = properties(given)
    wish = Wish(strategy, cause, options, onto_remaining)
    with connect(master, ca_file) as client:
        found = survey(client, task_manager, wish, planner_options(BalanceChoice.COUNT, subscale_bytes, options))
        if dry_run:
            _print_survey(output, found)
            return
        if found.faults:
            raise Refused(found.faults)
        if not as_json:
            for line in _survey_lines(found):
                output.say(line)
        with Bar() as bar:
            result = carry_out(Execution(client, bar), found, timeout)
    _print_result(output, result)


def undrain(
    task_manager: TaskManagerArgument,
    master: Master = DEFAULT_MASTER,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Let a drained TaskManager be used again; what was moved away stays where it is."""
    output = Output(as_json)
    with connect(master, ca_file) as client:
        state = client.undrain(resolve_drained(client.overview(), task_manager))
    output.data(state, [f"{state.task_manager} is in use again"])


# -- output ------------------------------------------------------------------------------------------------------------


def _print_survey(output: Output, found: Survey) -> None:
    document: dict[str, Any] = {
        "task_manager": found.task_manager,
        "drained": found.drained_before,
        "valid": not found.faults,
        "handovers": [_planned(handover) for handover in found.handovers],
        "staying": _staying(found),
    }
    if found.faults:
        document["errors"] = [asdict(fault) for fault in found.faults]
    output.data(document, _survey_lines(found))
    if found.faults:
        if not output.as_json:
            for fault in found.faults:
                output.say(f"error: {fault.message}")
        raise typer.Exit(ExitCode.REFUSED)


def _print_result(output: Output, result: Drained) -> None:
    found, done = result.survey, result.done
    document: dict[str, Any] = {
        "task_manager": found.task_manager,
        "drained": True,
        "before": found.drained_before,
        "handovers": [
            {
                **_planned(handover),
                "request_id": last.request_id,
                "phase": str(last.phase),
                "duration_ms": last.duration_ms,
            }
            for handover, last in done
        ],
        "staying": _staying(found),
    }
    if result.faults:
        document["errors"] = [asdict(fault) for fault in result.faults]
        output.data(document, [])
        if not output.as_json:
            for fault in result.faults:
                output.say(f"error: {fault.message}")
        raise typer.Exit(result.code)
    moved = [
        f"{handover.vertex.label} of job {handover.job.name}: {_who(handover)}, {size(last.bytes.moved)} in "
        f"{seconds((last.duration_ms or 0) / 1000)}"
        for handover, last in done
    ]
    output.data(document, [f"{found.task_manager} is drained", *(f"  {line}" for line in moved), *_stays(found)])


def _survey_lines(found: Survey) -> list[str]:
    lines = []
    for handover in found.handovers:
        first, *rest = plan_lines(handover.vertex, handover.request.parallelism, handover.plan, handover.expected)
        lines += [f"job {handover.job.name} | {first}", f"  {_who(handover)}", *rest]
    if not found.handovers:
        lines.append(f"no elastic work is on {found.task_manager} that a drain could move")
    return lines + _stays(found)


def _who(handover: Handover) -> str:
    def named(indices: list[int]) -> str:
        return f"subtask{'' if len(indices) == 1 else 's'} {', '.join(map(str, indices))}"

    heirs = named(handover.activated) if handover.activated else "the remaining ones"
    if 0 < len(handover.activated) < len(handover.retiring):
        heirs += " and the remaining ones"
    return f"{named(handover.retiring)} to {heirs}"


def _stays(found: Survey) -> list[str]:
    return [f"  stays: {staying.sentence()}" for staying in found.staying]


def _planned(handover: Handover) -> dict[str, Any]:
    return {
        "job_id": handover.job.jid,
        "job_name": handover.job.name,
        "vertex_id": handover.vertex.vertex_id,
        "vertex": handover.vertex.label,
        "retiring": handover.retiring,
        "activated": handover.activated,
        "from_parallelism": handover.vertex.parallelism,
        "to_parallelism": handover.request.parallelism,
        "moves": handover.plan.moves,
        "bytes": handover.plan.bytes,
        "expected": expected_document(handover.expected),
    }


def _staying(found: Survey) -> list[dict[str, Any]]:
    return [
        {"job_id": s.job.jid, "job_name": s.job.name, "name": s.name, "subtask": s.subtask, "reason": s.reason}
        for s in found.staying
    ]
