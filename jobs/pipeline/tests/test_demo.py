"""The parts of the demo's driver that need no cluster."""

import json
from pathlib import Path
from typing import Any

import pytest

from drrs_jobs import demo
from drrs_jobs.demo_run import Demo, Settings, rescale_marks
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


def test_the_table_shows_a_moment_that_never_came(capsys: pytest.CaptureFixture[str]) -> None:
    figures = {"peak_ms": 1_234.5, "avg_ms": 3.2, "duration_ms": None, "longest_gap_ms": 70}
    live = {"moved_key_groups": 64, "min_key_groups": 64, "checkpoints_ok": 2, "checkpoints_failed": 0}
    document = {"oracle": "exact", "state_bytes": 213e6, "plugin": figures | live, "restart": figures}
    demo.print_table(json.loads(json.dumps(document)))
    printed = capsys.readouterr().out
    assert "reference: exact" in printed
    assert "1,234 ms" in printed
    assert "never" in printed
    assert "64 (64)" in printed
