"""What a run uses is sampled while it runs."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from drrs_jobs import sampler
from drrs_jobs.waiting import await_until


def test_the_machine_and_each_process_are_sampled_until_the_run_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampler, "_EVERY_S", 0.01)
    out = tmp_path / "metrics" / "part-0.jsonl"
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    with sampler.sampled(tmp_path, {"own": os.getpid(), "child": child.pid}):
        child.communicate()
        await_until(lambda: out.exists() and out.stat().st_size > 4_000, "records", 30, 0.01)
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert {tuple(record) for record in records} == {("t", "name", "of", "v")}
    shares = [record["v"] for record in records if (record["name"], record["of"]) == ("cpu", "machine")]
    assert shares
    assert all(0 <= share <= 1 for share in shares)
    resident = [record["v"] for record in records if (record["name"], record["of"]) == ("resident", "own")]
    assert min(resident) > 1_000_000
    # The last records are not of the process that has ended meanwhile.
    assert records[-1]["of"] == "own"


def test_what_the_sampler_fails_of_is_raised_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(sampler, "_write", fail)
    with pytest.raises(OSError, match="no space"), sampler.sampled(tmp_path, {}):
        pass
