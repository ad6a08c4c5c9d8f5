"""A job that reads from a Kafka broker is rescaled while the pipeline writes there: its output is exact."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from drrs_jobs.checkout import find_job_jar
from drrs_jobs.kafka_broker import broker
from drrs_jobs.kafka_replay import Opening, Topic
from drrs_jobs.replay import Replay
from drrs_jobs.runner.feeding import Feeding
from drrs_jobs.waiting import await_until
from harness.job import CHECKPOINT_MS, Job, JobSpec, opening_of
from harness.limits import LIMIT_S
from harness.plans import post
from harness.processes import ProcessCluster
from harness.workload import Workload

pytestmark = pytest.mark.matrix

EVENTS = 12_000
RATE = 1_000
KEPT_BACK = 500
"""Events that come when the rescales are done."""


@dataclass(frozen=True)
class Reading:
    """A query over a topic, how many read it, and where its operator goes."""

    name: str
    query: str
    path: tuple[int, ...]
    partitions: int
    sources: int
    arguments: tuple[str, ...] = ()
    step: int = 1_500
    """Records that the operator takes before each rescale."""
    preload: int = 0
    unaligned: bool = False

    def __str__(self) -> str:
        return self.name


READINGS = (
    # Partitions that do not go up in subtasks of the source, and windows of event time over all of them.
    Reading("windows", "q5", (2, 4, 3, 5), partitions=3, sources=2, unaligned=True),
    # A join of persons and auctions by event time; one subtask of the source is without a partition, and ends at once.
    Reading("join", "q8", (2, 4, 2), partitions=2, sources=3, step=200),
    # State is made before the first event, which comes when a checkpoint has committed that this was read.
    Reading(
        "state", "count", (3, 5, 2, 4), partitions=4, sources=4, preload=2_000,
        arguments=("--ballast-bytes", "5000"),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a broker."""
    with broker(tmp_path_factory.mktemp("kafka")) as (address, _):
        yield address


@contextmanager
def reading(cluster: ProcessCluster, kafka: str, directory: Path, one: Reading) -> Iterator[tuple[Job, Topic]]:
    """The job, and the topic that is being written; its last events come with `Job.open`."""
    workload = Workload(events=EVENTS, rate=RATE)
    output = directory / "out"
    topic = Topic(kafka, f"t-{one}")
    topic.create(one.partitions)
    spec = JobSpec(one.query, one.path[0], workload, bounded=True)
    arguments = {
        "query": one.query, "output": output, "parallelism": one.path[0], "source-parallelism": one.sources,
        "kafka": kafka, "kafka-topic": topic.name, "events": EVENTS, "preload-keys": one.preload,
        "checkpoint-interval-ms": CHECKPOINT_MS, "unaligned": str(one.unaligned).lower(),
    }  # fmt: skip
    given = [str(word) for name, value in arguments.items() if value for word in (f"--{name}", value)]
    options = {"drrs.enabled": "true", "drrs.checkpoint.hold": "0 s"}
    job = cluster.submit([*given, *one.arguments], options, find_job_jar(kafka=True))
    replay = Replay(EVENTS, parts=one.partitions, rate=RATE, seed=workload.seed, preload_keys=one.preload)
    opening = Opening(str(opening_of(output)), EVENTS - KEPT_BACK)
    feeding = Feeding.begin(topic, replay, directory / "replay.out", opening)
    try:
        yield Job(cluster, spec, job, output), topic
        feeding.check()
    finally:
        feeding.end()
        cluster.end(job)
        topic.delete()


@pytest.mark.covers("job shapes: a source that reads from Kafka")
@pytest.mark.parametrize("one", READINGS, ids=str)
def test_output_of_a_job_that_reads_from_kafka_is_exact(
    cluster: ProcessCluster, kafka: str, tmp_path: Path, one: Reading
) -> None:
    with reading(cluster, kafka, tmp_path, one) as (job, topic):
        records = one.preload
        for parallelism in one.path[1:]:
            records += one.step
            job.await_records(one.query, records)
            job.rescale(one.query, parallelism)
        # All that has been written by now: offsets go on being committed after the last rescale.
        written = EVENTS - KEPT_BACK + one.preload
        await_until(
            lambda: topic.committed(*range(one.partitions)) == written, "all offsets to be committed", LIMIT_S, 0.2
        )
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.refuses("job shapes: to rescale the source that reads from Kafka")
def test_the_source_itself_is_refused_by_name(cluster: ProcessCluster, kafka: str, tmp_path: Path) -> None:
    one = Reading("refused", "count", (2,), partitions=2, sources=2)
    with reading(cluster, kafka, tmp_path, one) as (job, _):
        job.await_records("count", 100)
        _, found = post(cluster, job.id, {"vertex": "source", "parallelism": 3})
        assert found == {"UNKNOWN_VERTEX": "The job has no elastic operator source; it has count."}
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
