"""Jobs of any shape that the catalogue of operators allows put out what stock Flink does, whatever is done to them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from shapes.drawing import drawn
from shapes.pool import Clusters, clusters
from shapes.run import Run, as_json, compared
from shapes.shape import Branch, Checkpoints, Shape

SEED = 1502
NUMBERS = (33, 18, 64, 49, 42, 30, 90, 87)
"""Of the first hundred those that together have the most kinds of parts, with each strategy; the last is refused."""

FAULTS = {
    "fault-drop": "1 are missing",
    "fault-double": "1 are too many",
    "fault-alter": "1 are too many",
    "fault-swap": "another order from place",
}
"""What goes wrong on purpose (`Faults.java`), and what is said of it."""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clusters]:
    """A cluster with the plug-in and one without."""
    with clusters(tmp_path_factory.mktemp("shapes")) as found:
        yield found


@pytest.mark.covers("job shapes: jobs drawn from the catalogue of operators", drawn="any of 1 to 6")
@pytest.mark.covers("order of results: of each key in each output of drawn jobs", drawn="any of 1 to 6")
@pytest.mark.covers("requests: drawn walks of rescales, withdrawals, failures and savepoints", drawn="any of 1 to 6")
@pytest.mark.refuses("job shapes: what the catalogue refuses, in drawn jobs")
def test_drawn_shapes_put_out_what_stock_flink_does(both: Clusters) -> None:
    wrong = []
    for outcome in both.outcomes(drawn(SEED, number) for number in NUMBERS):
        if outcome.wrong:
            wrong += [*outcome.wrong, *outcome.output.notes, f"again: make fuzz ONLY='{as_json(outcome.shape)}'"]
    assert not wrong, "\n".join([*wrong, f"log: {both.elastic.logs}"])


@pytest.mark.parametrize("fault", FAULTS)
def test_what_goes_wrong_in_a_job_is_found(both: Clusters, fault: str) -> None:
    shape = Shape(branches=(Branch(head="value", chained=(fault,)),), checkpoints=Checkpoints(interval=50))
    right = shape.model_copy(update={"branches": (Branch(head="value"),)})
    reference = Run(both.stock, right, both.directory, elastic=False).carry_out()
    seen = Run(both.stock, shape, both.directory, elastic=False).carry_out()
    assert not reference.wrong
    (wrong, *_) = compared(reference, seen, shape)
    assert FAULTS[fault] in wrong


def test_a_failure_that_nobody_asked_for_is_found(both: Clusters) -> None:
    run = Run(both.stock, Shape(branches=(Branch(head="value", sink="committed"),)), both.directory, elastic=False)
    both.stock.gates.failOnce(run.name)
    assert run.carry_out().wrong == ["1 failures that were asked for, not 0"]
