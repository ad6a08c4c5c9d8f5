"""The Twitch trace as a replay data set, and what is wrong with a file of it."""

import gzip
import json
from pathlib import Path

import pytest

from drrs_jobs.generator import BASE_TIME_MS, Bid
from drrs_jobs.trace import TraceError, read_visits, trace_events, write_trace
from drrs_jobs.workloads.loading import WorkloadError, load, load_all

GOOD = "7,900,ann,12,14\n8,901,bob,10,11\n7,902,ann,10,10\n9,903,cy,20,22\n"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    file = tmp_path / "trace.csv"
    file.write_text(GOOD)
    return file


def test_visits_are_events_in_their_own_time_compressed_to_the_run(trace: Path) -> None:
    events = trace_events(trace, 3, 30)
    assert [(bid.number, bid.ts - BASE_TIME_MS, bid.auction, bid.bidder, bid.price) for bid in events] == [
        (0, 0, 0, 8, 1), (1, 5_000, 1, 7, 0), (2, 20_000, 1, 7, 2)
    ]  # fmt: skip


def test_a_compressed_file_is_the_same(trace: Path, tmp_path: Path) -> None:
    packed = tmp_path / "trace.csv.gz"
    packed.write_bytes(gzip.compress(GOOD.encode()))
    assert read_visits(packed, 4) == read_visits(trace, 4)


def test_each_event_is_in_one_part_in_the_order_of_the_schedule(trace: Path, tmp_path: Path) -> None:
    events = trace_events(trace, 4, 30)
    write_trace(events, 3, 0, tmp_path / "out")
    first = [json.loads(line) for line in (tmp_path / "out/part-00000.jsonl").read_text().splitlines()]
    assert [line["e"] for line in first] == [0, 3]
    assert first[0] == {"e": 0, "t": 0, "ts": BASE_TIME_MS, "y": "b", "auction": 0, "bidder": 8, "price": 1}
    assert json.loads((tmp_path / "out/manifest.json").read_text())["parts"] == 3


def test_all_faults_of_a_file_are_told_at_once_with_their_first_lines(tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(GOOD + "user,stream,streamer,start,stop\n1,2,x,9,8\n1,2,x\n1,2,,3,4\n1,2\n")
    with pytest.raises(TraceError) as told:
        read_visits(file, 5)
    assert told.value.sentences == (
        "the trace bad.csv has 1 line in which user, stream, start or stop is no whole number, the first is line 5",
        "the trace bad.csv has 1 line that end before they begin, the first is line 6",
        "the trace bad.csv has 2 lines that do not have 5 fields, the first is line 7",
        "the trace bad.csv has 1 line without a streamer, the first is line 8",
        "the trace bad.csv has 4 visits that are good, the workload needs 5",
    )
    with pytest.raises(TraceError, match=r"nowhere\.csv cannot be read"):
        read_visits(tmp_path / "nowhere.csv", 1)


def test_the_workload_twitch_takes_a_trace_in_place_of_its_stand_in(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    rows = (f"{row % 97},{row},streamer-{row % 13},{row // 500},{row // 500 + 2}\n" for row in range(80_000))
    file.write_text("".join(rows))
    found = load("twitch", quick=True, trace=file)
    assert (found.query, found.keys, found.events, found.operator.uid) == ("count", None, "trace", "count")
    events = found.all_events()
    assert len(events) == found.total_events
    assert all(isinstance(event, Bid) for event in events)
    assert events[-1].ts - BASE_TIME_MS < found.seconds * 1_000


def test_a_trace_that_is_too_short_or_for_no_workload_is_refused_before_anything_is_run(trace: Path) -> None:
    with pytest.raises(WorkloadError, match=r"trace\.csv has 4 visits that are good, the workload needs"):
        load("twitch", trace=trace)
    with pytest.raises(WorkloadError, match="no workload that is one's stand-in"):
        load_all(["demo"], trace=trace)
