"""Following the latency records of a run that is being written; and the CPU meter beside it."""

import json
from pathlib import Path

from drrs_jobs.tail import LatencyTail

T0 = 1_700_000_000_000


def line(at_ms: int, latency_ms: int) -> str:
    return json.dumps({"k": "1", "s": T0 + at_ms, "o": T0 + at_ms + latency_ms, "n": 1}) + "\n"


def test_a_half_written_line_is_taken_in_when_it_is_complete(tmp_path: Path) -> None:
    part = tmp_path / "latency" / "part-0.jsonl"
    part.parent.mkdir()
    tail = LatencyTail(tmp_path)
    whole = line(0, 5) + line(1_000, 7)
    part.write_text(whole[:-10])
    tail.poll()
    assert (tail.first_due, tail.running_ms()) == (T0, 5)
    part.write_text(whole)
    tail.poll()
    assert tail.running_ms() == 1_007


def test_a_run_without_output_has_not_begun(tmp_path: Path) -> None:
    tail = LatencyTail(tmp_path)
    tail.poll()
    assert tail.running_ms() == 0
    assert tail.p99(5_000) is None
    assert not tail.is_steady(1)


def test_a_run_is_steady_once_it_is_old_enough_and_its_latency_does_not_grow(tmp_path: Path) -> None:
    def tail_of(latencies: range | list[int], slide_ms: int = 0) -> LatencyTail:
        part = tmp_path / "latency" / "part-0.jsonl"
        part.parent.mkdir(exist_ok=True)
        part.write_text("".join(line(i * 10, latency) for i, latency in enumerate(latencies)))
        tail = LatencyTail(tmp_path, slide_ms=slide_ms)
        tail.poll()
        return tail

    flat = tail_of([20] * 1_500)
    assert flat.is_steady(14_000)
    assert not flat.is_steady(16_000)
    assert flat.p99(5_000) == 20
    assert not tail_of(range(0, 30_000, 20)).is_steady(14_000)
    assert not tail_of([20] * 1_100 + [80] * 400).is_steady(14_000)
    assert not tail_of([80] * 980 + [20] * 520).is_steady(14_000)
    assert not tail_of([1_200] * 1_500).is_steady(14_000)
    # A sliding window's result comes up to a slide after its event, on an idle machine too.
    assert tail_of([1_200] * 1_500, slide_ms=1_000).is_steady(14_000)
