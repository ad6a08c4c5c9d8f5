"""Several shapes at the same time on one cluster, each compared with its reference on stock Flink."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from harness import one_jvm
from harness.one_jvm import OneJvmCluster
from shapes.run import Output, Run, compared, reference_of
from shapes.shape import Shape

AT_A_TIME = 4
SLOTS = 20
"""Of each of three TaskManagers: an operator has at most six subtasks, in two slot-sharing groups."""
MEMORY: Mapping[str, str] = {
    "taskmanager.memory.network.min": "96m", "taskmanager.memory.network.max": "96m",
    "taskmanager.memory.managed.size": "32m",
    "drrs.operators.trusted": "dev.drrs.gateway.shapes.BufferOperator",
}  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What is `wrong` with a shape, and what is worth knowing of it."""

    shape: Shape
    wrong: list[str]
    output: Output


@dataclass(frozen=True)
class Clusters:
    """One with the plug-in, and one without."""

    elastic: OneJvmCluster
    stock: OneJvmCluster
    directory: Path

    def outcome(self, shape: Shape) -> Outcome:
        """Run a shape and its reference. Any thread."""
        reference = Run(self.stock, reference_of(shape), self.directory, elastic=False).carry_out()
        if reference.wrong or not reference.lines:
            return Outcome(shape, ["no reference from stock Flink", *reference.wrong], reference)
        run = Run(self.elastic, shape, self.directory, elastic=True)
        output = run.carry_out()
        wrong = compared(reference, output, shape)
        if not wrong:
            shutil.rmtree(run.directory, ignore_errors=True)
        return Outcome(shape, wrong, output)

    def outcomes(self, shapes: Iterable[Shape], at_a_time: int = AT_A_TIME) -> Iterator[Outcome]:
        """Of many shapes, so many at a time, in the order in which they are done."""
        left = iter(shapes)
        with ThreadPoolExecutor(at_a_time) as pool:
            running = {pool.submit(self.outcome, shape) for shape in islice(left, at_a_time)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {pool.submit(self.outcome, shape) for shape in islice(left, len(done))}
                for future in done:
                    yield future.result()


@contextmanager
def clusters(directory: Path) -> Iterator[Clusters]:
    """Start both; they end with the context."""
    with (
        one_jvm.started(directory / "elastic", task_managers=3, slots=SLOTS, heap="2g", options=MEMORY) as elastic,
        one_jvm.started(directory / "stock", task_managers=3, slots=SLOTS, plugin=False, options=MEMORY) as stock,
    ):
        yield Clusters(elastic, stock, directory / "runs")
