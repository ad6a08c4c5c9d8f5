"""Which job and which operators a command means: `JOB OPERATOR -p N` or `JOB OPERATOR=N OPERATOR=N`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from pyctl.errors import UsageError

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[JOB] [OPERATOR[=N]]..",
        help="Job: id, beginning of an id, or name; the only running one if left out. Operators: uid, name or id, each "
        "with the parallelism wanted; the only elastic one if left out.",
    ),
]
Parallelism = Annotated[
    int | None,
    typer.Option("-p", "--parallelism", metavar="N", help="Subtasks wanted, of operators that are given without =N."),
]

_WITH_NUMBER = re.compile(r"(.+)=([+-]?\d+)", re.DOTALL)


@dataclass(frozen=True)
class Targets:
    """`job` None: the only one; `operators` as name and parallelism, a name None: the only elastic one."""

    job: str | None
    operators: list[tuple[str | None, int]]


def targets(names: Sequence[str] | None, parallelism: int | None) -> Targets:
    """What is meant. Raises UsageError for an operator without a parallelism, and for a `-p` that nothing needs."""
    given = list(names or [])
    job = given.pop(0) if given and not _WITH_NUMBER.fullmatch(given[0]) else None
    operators: list[tuple[str | None, int]] = []
    used = False
    each: list[str | None] = [*given] or [None]
    for name in each:
        match = _WITH_NUMBER.fullmatch(name) if name is not None else None
        if match is not None:
            operators.append((match[1], int(match[2])))
        elif parallelism is None:
            raise UsageError("Say how many subtasks are wanted: -p N, or OPERATOR=N.")
        else:
            used = True
            operators.append((name, parallelism))
    if parallelism is not None and not used:
        raise UsageError("-p has no meaning: each operator is given with its own parallelism.")
    return Targets(job, operators)
