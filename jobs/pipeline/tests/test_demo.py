"""The parts of the demo's driver that need no cluster."""

from pathlib import Path
from typing import Any

import pytest
from pyctl import whole_job
from pyctl.whole_job import Ended

from drrs_jobs import demo
from drrs_jobs.demo_run import Demo, RawRun, Settings, ownership_of, rescale_marks, restart_marks
from drrs_jobs.figures import Rescale
from drrs_jobs.machine import CpuUse
from drrs_jobs.ownership import Ownership, at_start
from drrs_jobs.runs import Mark

STATUS: dict[str, Any] = {
    "phase": "COMPLETED",
    "phases": [
        {"phase": "PLANNED", "at": 10, "duration_ms": 2},
        {"phase": "PROVISIONING", "at": 12, "duration_ms": 30},
        {"phase": "MIGRATING", "at": 42, "duration_ms": 100},
        {"phase": "COMPLETED", "at": 142, "duration_ms": 0},
    ],
    "key_groups": {"moved": 64, "total": 64},
    "bytes": {"moved": 100_000_000, "total": 100_000_000},
    "records": {"rerouted": 5, "set_aside": 1_234},
    "suspension_ms": {"2": 14},
    "exchange": {"bytes": 110_000_000, "busy_ms": 500, "probe_bytes_per_second": 440_000_000},
}


def test_each_phase_is_marked_until_the_next_one_begins() -> None:
    assert rescale_marks(STATUS) == (
        Mark("PLANNED", 10, 12),
        Mark("PROVISIONING", 12, 42),
        Mark("MIGRATING", 42, 142),
    )


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
    assert ownership_of(STATUS, (0, 0), (0, 1)) == Ownership((0, 0), (0, 1), 42, 142)


def test_the_command_that_runs_it_again_has_all_that_is_not_the_default() -> None:
    assert demo.how_again(Settings(), 5) == ["make demo PAIRS=5"]
    assert demo.how_again(Settings(rate=500), 2, ["--restart-only"]) == [
        "make setup jars",
        ".venv/bin/python -m drrs_jobs.demo --build-dir build/demo --pairs=2 --restart-only --rate=500",
    ]


def test_the_facts_of_a_rescale_have_their_units() -> None:
    assert demo.rescale_facts(STATUS) == {
        "state moved": "100.0 MB in 64 key groups",
        "records re-routed / set aside": "5 / 1,234",
        "suspension per subtask": "2: 14 ms",
        "peer exchange": "110.0 MB, busy for 500 ms, 220 MB/s",
        "raw throughput of the exchange": "440 MB/s, so state used 50% of it",
    }
    assert demo.rescale_facts(None) == {}


def test_only_the_parallelism_differs_between_the_parts_of_the_demo(tmp_path: Path) -> None:
    of_demo = Demo(Settings(), tmp_path / "job.jar", tmp_path / "replay", print)
    two, four = (of_demo.arguments(tmp_path / "out", n) for n in (2, 4))
    assert [(a, b) for a, b in zip(two, four, strict=True) if a != b] == [("2", "4")]


def test_the_state_is_at_least_200_megabytes_and_the_load_about_60_percent() -> None:
    settings = Settings()
    assert settings.keys * settings.ballast_bytes > 200_000_000
    bids_per_subtask = settings.rate * 46 / 50 / settings.before
    assert 0.5 <= bids_per_subtask * settings.service_us / 1e6 <= 0.65


def test_a_missing_job_jar_is_an_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "JOB_JAR", Path("no/such.jar"))
    assert demo.main(["--build-dir", str(tmp_path)]) == 1
    assert "build it with Maven" in capsys.readouterr().err


def test_the_set_up_is_said_with_its_numbers(tmp_path: Path) -> None:
    raw = RawRun(
        output=tmp_path, rescale=Rescale("r", 0, 1), marks=(), state_bytes=213_000_000, cpu=CpuUse(0.3, 0.0),
        load=(0.1, 0.2), busy_before=(), busy_after=(), notes=(), flink_version="2.3.0", plugin="0.1.0 (build abc)",
    )  # fmt: skip
    said = demo.describe_set_up(Settings(), raw)
    assert said["rescale"] == "operator count, 2 -> 4 subtasks, on 4 TaskManagers of one slot"
    assert "1,150 events per second for 75 s; each record of the operator waits 1 ms without" in said["load"]
    assert "52,000 keys with 4,096 bytes each, 213 MB in a checkpoint" in said["state"]
    assert "cores" in said["machine"]
    assert said["versions"].startswith("Flink 2.3.0, plug-in 0.1.0 (build abc), Java 17")


def test_no_pairs_at_all_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        demo.main(["--build-dir", str(tmp_path), "--pairs", "0"])
    assert "--pairs must be at least 1" in capsys.readouterr().err
