"""The phases of rescales as periods."""

from pyctl import whole_job
from pyctl.whole_job import Ended

from drrs_jobs.ownership import Ownership, at_start
from drrs_jobs.runner.evaluate import cpu_beyond_steady, rescale_facts
from drrs_jobs.runner.marks import ownership_of, rescale_marks, restart_marks
from drrs_jobs.runs import Mark
from recorded_runs import status

STATUS = status(10, 100)


def test_each_phase_is_marked_until_the_next_one_begins() -> None:
    assert rescale_marks(STATUS) == (Mark("PLANNED", 10, 20), Mark("MIGRATING", 20, 110))


def test_the_phases_of_a_restart_are_marked_in_words() -> None:
    phases = ("STOPPING", 10), ("SUBMITTING", 200), ("RESTORING", 210), ("COMPLETED", 900)
    ended = Ended("restart", "new", "old", (), [whole_job.Mark(*phase) for phase in phases])
    assert restart_marks(ended) == (
        Mark("stop with savepoint", 10, 200),
        Mark("submit", 200, 210),
        Mark("deploy and restore", 210, 900),
    )


def test_key_groups_change_hands_while_the_rescale_is_migrating() -> None:
    assert at_start(2, 4) == (0, 0, 1, 1)
    assert ownership_of(STATUS, (0, 0), (0, 1)) == Ownership((0, 0), (0, 1), 20, 110)


def test_the_facts_of_a_rescale_have_their_units() -> None:
    assert rescale_facts(STATUS) == {
        "state moved": "1.0 MB in 64 key groups",
        "records re-routed / set aside": "5 / 7",
        "suspension per subtask": "2: 14 ms",
        "peer exchange": "1.0 MB, busy for 10 ms, 100 MB/s",
    }
    waited = {**STATUS, "waits": {"turn": {"count": 3, "total_ms": 2_000, "longest_ms": 1_500}}}
    assert rescale_facts(waited)["wait of a subscale for its turn"] == "666.7 ms, longest 1,500 ms"
    assert rescale_facts(None) == {}


def test_what_a_cluster_takes_anyway_is_not_counted_to_the_rescale() -> None:
    def row(second: int, of: str, mean: float) -> dict[str, object]:
        return {"name": "cpu", "of": of, "bucket": second * 1_000, "mean": mean, "high": mean}

    steady = [row(second, "tm-1", 0.25) for second in range(1, 30)]
    busy = [row(second, "tm-2", 1.0) for second in (21, 22)]
    others = [row(second, "machine", 0.9) for second in range(1, 30)]
    assert cpu_beyond_steady([*steady, *busy, *others], 20_000, 3_000) == 2.0
    assert cpu_beyond_steady(others, 20_000, 3_000) is None
