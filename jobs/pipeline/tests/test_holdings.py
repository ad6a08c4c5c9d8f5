"""What a soak calls left over."""

from dataclasses import replace

from drrs_jobs.holdings import Holdings

BEFORE = Holdings(
    network_segments=10,
    taken_slots=2,
    files=3,
    descriptors=40,
    threads={"count (#/#)##": 2},
    objects={"dev.drrs.runtime.task.ElasticTask": 4},
    job_manager_bytes=100_000_000,
)


def test_nothing_is_left_over_if_all_is_as_before_or_less() -> None:
    assert BEFORE.more_than(BEFORE) == {}
    assert replace(BEFORE, network_segments=8, threads={}).more_than(BEFORE) == {}


def test_everything_that_is_more_is_named_with_its_number() -> None:
    after = replace(
        BEFORE,
        taken_slots=3,
        threads={"count (#/#)##": 2, "drrs-peer-#": 1},
        objects={"dev.drrs.runtime.task.ElasticTask": 9},
    )
    assert after.more_than(BEFORE) == {
        "objects dev.drrs.runtime.task.ElasticTask": 5,
        "slots": 1,
        "threads drrs-peer-#": 1,
    }


def test_what_the_job_manager_remembers_may_grow_a_little() -> None:
    assert replace(BEFORE, job_manager_bytes=110_000_000).more_than(BEFORE) == {}
    assert replace(BEFORE, job_manager_bytes=150_000_000).more_than(BEFORE) == {
        "bytes in the JobManager's heap": 50_000_000
    }


def test_segments_that_the_channels_of_another_placement_need_are_not_left_over() -> None:
    channels = {**BEFORE.objects, "org.apache.flink.runtime.io.network.partition.consumer.RemoteInputChannel": 2}
    before = replace(BEFORE, objects=channels)
    assert replace(before, network_segments=14).more_than(before) == {}
    assert replace(before, network_segments=15).more_than(before) == {"network memory segments": 5}


def test_without_a_job_nothing_of_jobs_may_be_there() -> None:
    assert replace(BEFORE, network_segments=0, taken_slots=0, threads={}).without_job() == {}
    assert BEFORE.without_job() == {"slots": 2, "network memory segments": 10, "threads count (#/#)##": 2}
