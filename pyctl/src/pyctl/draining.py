"""Carrying out a drain: one operator after the other hands over, and nothing new is placed on the TaskManager."""

from __future__ import annotations

from dataclasses import dataclass

from pyctl.clock import Deadline
from pyctl.drain_survey import Handover, Survey, elastic_subtasks
from pyctl.errors import ExitCode, Fault, PyctlError, Refused, WaitTimeout
from pyctl.execution import Execution
from pyctl.model import Rescale


@dataclass(frozen=True)
class Drained:
    """How far a drain got."""

    survey: Survey
    done: list[tuple[Handover, Rescale]]
    """What was handed over, and how the rescale for it ended."""
    faults: tuple[Fault, ...] = ()
    """Empty if no elastic work is left there."""
    code: ExitCode = ExitCode.DONE


def drain(execution: Execution, survey: Survey, timeout_s: float | None = None) -> Drained:
    """Let nothing new be placed on the TaskManager, and move what the survey found off it.

    What goes wrong once that has begun is in the result, with what is left to do. Raises Refused with the faults of the
    survey, and of the first request, before anything is touched. `timeout_s` is for all of it.
    """
    if survey.faults:
        raise Refused(survey.faults)
    deadline = Deadline(execution.clock, timeout_s)
    execution.client.drain(survey.task_manager)
    done: list[tuple[Handover, Rescale]] = []
    try:
        for handover in survey.handovers:
            if deadline.over:
                raise WaitTimeout(f"The drain of {survey.task_manager} is not through after {timeout_s:g} s.")
            ended = execution.carry_out(handover.job.jid, handover.request, deadline.left())
            done.append((handover, ended.last))
            error = ended.failure()
            if error is not None:
                raise error
        left = elastic_subtasks(execution.client, survey.task_manager)
    except PyctlError as error:
        code = ExitCode.FAILED if isinstance(error, Refused) else error.exit_code
        return Drained(survey, done, (*error.faults, _unfinished(survey.task_manager)), code)
    if left:
        fault = Fault("NOT_EMPTY", f"{survey.task_manager} still runs {', '.join(left)}.")
        return Drained(survey, done, (fault,), ExitCode.FAILED)
    return Drained(survey, done)


def _unfinished(task_manager: str) -> Fault:
    return Fault(
        "DRAIN_INCOMPLETE",
        f"Nothing new is placed on {task_manager}, but elastic work is left there: "
        f"`pyctl drain {task_manager}` goes on with it, `pyctl undrain {task_manager}` takes the drain back.",
    )
