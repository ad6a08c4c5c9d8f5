"""The fixed set of faults in rescales; `make chaos` draws many more."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaos.case import FURTHER, SHORT, Case, Fault
from chaos.cluster import missing
from chaos.run import Outcome, Run
from chaos.runs import Clusters
from chaos.table import last_line, table

FEATURES = {
    Fault.KILL: "failures: a process is killed in any phase of a rescale",
    Fault.BRIEF_STOP: "failures: a process stands still for a moment",
    Fault.LONG_STOP: "failures: a process stands still until it is taken for lost",
    Fault.BRIEF_CUT: "failures: a link is cut for a moment",
    Fault.LONG_CUT: "failures: a link is cut until its host is taken for lost",
    Fault.SLOW_LINK: "failures: a link of 16 Mbit/s",
    Fault.FULL_DISK: "failures: no room for checkpoints",
    Fault.WITHDRAWAL: "failures: a request is withdrawn in any phase",
}


@pytest.fixture(scope="module")
def left_out() -> dict[Fault, str]:
    """Faults that cannot be made on this machine, and why."""
    return missing()


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory, left_out: dict[Fault, str]) -> Iterator[Clusters]:
    """A cluster for many runs."""
    with Clusters(tmp_path_factory.mktemp("chaos"), frozenset(left_out)) as some:
        yield some


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest, left_out: dict[Fault, str]) -> Iterator[list[Outcome]]:
    """What became of the runs; shown as a table in the end."""
    found: list[Outcome] = []
    yield found
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        # One of several workers has only this in common with the terminal.
        print("", table(found, left_out), last_line(found), sep="\n", file=sys.stderr, flush=True)


def params() -> Iterator[object]:
    for case in (*SHORT, *FURTHER):
        marks = [pytest.mark.covers(FEATURES[case.fault], path=case.path, unaligned=case.unaligned)]
        if case in FURTHER:
            marks.append(pytest.mark.matrix)
        yield pytest.param(case, marks=marks, id=f"{case.fault.name}-{case.phase}-{case.victim.name}".lower())


@pytest.mark.parametrize("case", list(params()))
@pytest.mark.covers("reports: T22, any process lost, stopped or cut off in any phase")
def test_output_is_exact_and_nothing_is_left_whatever_happens(
    case: Case, clusters: Clusters, outcomes: list[Outcome], left_out: dict[Fault, str], tmp_path: Path
) -> None:
    if case.fault in left_out:
        pytest.skip(f"left out: {left_out[case.fault]}")
    cluster = clusters.present()
    outcome = Run(cluster, case, tmp_path).carry_out()
    outcomes.append(outcome)
    if not outcome.good:
        clusters.give_up()
    assert outcome.good, f"{outcome}\n{outcome.trouble}\nlogs are in {cluster.logs}"
