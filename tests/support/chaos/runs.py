"""Many runs, one after the other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from chaos.case import Case, Fault
from chaos.cluster import ChaosCluster, started
from chaos.run import Outcome, Run


class Clusters:
    """One cluster for many runs; after one that went wrong, another. Use as a context manager."""

    def __init__(self, folder: Path, without: frozenset[Fault]) -> None:
        self._folder = folder
        self._without = without
        self._number = 0
        self._stack = ExitStack()
        self._present: ChaosCluster | None = None

    def __enter__(self) -> Clusters:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def present(self) -> ChaosCluster:
        """The cluster to use."""
        if self._present is None:
            self._number += 1
            self._present = self._stack.enter_context(started(self._folder / f"cluster-{self._number}", self._without))
        return self._present

    def give_up(self) -> None:
        """Nobody knows what state this one is in."""
        self._present = None
        self._stack.close()


def all_runs(folder: Path, cases: Sequence[tuple[int, Case]], without: frozenset[Fault]) -> Iterator[Outcome]:
    """Carry out cases by their numbers; what went well leaves nothing behind."""
    with Clusters(folder, without) as clusters:
        for number, case in cases:
            own = folder / f"run-{number}"
            cluster = clusters.present()
            outcome = Run(cluster, case, own).carry_out()
            print(f"{number:4} {outcome}", flush=True)
            if outcome.good:
                shutil.rmtree(own, ignore_errors=True)
            else:
                print(f"     output in {own}, logs in {cluster.logs}", flush=True)
                clusters.give_up()
            yield outcome
