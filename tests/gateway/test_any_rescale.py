"""Rescales drawn at random leave the output exact, on a cluster in one JVM."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from harness.job import JobSpec, running
from harness.one_jvm import OneJvmCluster
from harness.scenarios import TARGETS, Target
from harness.workload import Workload


def examples(count: int, *, same: bool) -> settings:
    """So many examples, the `same` ones in each run or new ones."""
    return settings(
        max_examples=count,
        derandomize=same,
        deadline=None,
        print_blob=True,
        # A smaller failing case is not worth the minutes that it takes to find.
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )


Case = tuple[JobSpec, Target, tuple[int, ...], int]


@st.composite
def paths(draw: st.DrawFn) -> tuple[int, ...]:
    """Two to four parallelisms, each another one than the one before, at most the ceiling of eight."""
    path = [draw(st.integers(1, 8))]
    for _ in range(draw(st.integers(1, 3))):
        path.append(draw(st.integers(1, 8).filter(lambda parallelism: parallelism != path[-1])))
    return tuple(path)


OPTIONS = st.fixed_dictionaries(
    {
        "drrs.strategy.subscale-concurrency": st.integers(1, 4),
        "drrs.strategy.node-concurrency": st.sampled_from([1, 2, 16]),
        "drrs.strategy.subscale-key-groups": st.sampled_from([1, 4, 32]),
        "drrs.strategy.warm-up": st.integers(0, 4),
        "drrs.strategy.pull-window": st.sampled_from([1, 2, 4, 16]),
        "drrs.strategy.set-aside.records": st.sampled_from([0, 1, 10, 10_000]),
        "drrs.strategy.set-aside.bytes": st.sampled_from([1, 1_000, 32_000_000]),
        "drrs.strategy.decoupling": st.sampled_from(["true", "true", "false"]),
        "drrs.strategy.record-scheduling": st.sampled_from(["true", "true", "false"]),
        "drrs.strategy.subscale-division": st.sampled_from(["true", "true", "false"]),
        "drrs.strategy.bins.from": st.sampled_from(["0", "1kb", "8mb"]),
        "drrs.strategy.bins.size": st.sampled_from(["0", "200", "1mb"]),
        "drrs.exchange.signal-memory": st.sampled_from(["1kb", "32kb", "8mb"]),
        "drrs.exchange.state-memory": st.sampled_from(["1kb", "64kb", "4mb"]),
        "drrs.exchange.state-chunk": st.sampled_from(["128b", "1kb", "32kb"]),
    }
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A job, the operator to rescale, its parallelisms, and after how many records the first rescale begins."""
    # Eight subtasks of `fan` need more slots than there are.
    target = TARGETS[draw(st.sampled_from(sorted(TARGETS.keys() - {"fan"})))]
    path = draw(paths())
    rate = draw(st.sampled_from([1_000, 4_000, 8_000]))
    workload = Workload(events=rate * 5 // 4, rate=rate, splits=draw(st.integers(1, 3)), seed=draw(st.integers(0, 99)))
    arguments = [*target.arguments]
    if path[0] == 1:
        arguments += ["--sink-parallelism", "2"]
    if "chained" in target.flags and draw(st.booleans()):
        arguments += ["--sink-parallelism", str(path[0])]
    if draw(st.booleans()):
        # Hot from the first event on.
        hot = 1000 if target.hot_key == 1100 else target.hot_key
        arguments += ["--service-hot-key", str(hot), "--service-hot-us", str(1_000_000 // rate)]
    spec = JobSpec(
        target.query,
        path[0],
        workload,
        arguments,
        options={name: str(value) for name, value in draw(OPTIONS).items()},
        reference=target.reference,
        unaligned=draw(st.booleans()),
        checkpoint_ms=draw(st.sampled_from([50, 200, 1_000])),
    )
    return spec, target, path, draw(st.integers(0, 300))


def check(cluster: OneJvmCluster, case: Case) -> None:
    spec, target, path, records = case
    with TemporaryDirectory() as directory, running(cluster, spec, Path(directory)) as job:
        note(f"log: {cluster.logs}, job {job.id}")
        # The events may be too few for a target that needs few of them.
        job.await_records(target.vertices[0], records if target.before >= 1_000 else 0)
        for parallelism in path[1:]:
            for vertex in target.vertices:
                wanted = target.parallelism(vertex, parallelism)
                if job.vertex(vertex).parallelism != wanted:
                    job.rescale(vertex, wanted)
        job.finish()
        job.assert_never_failed()
        for query in (None, *target.also):
            job.assert_exact(query)


@given(cases())
@examples(10, same=True)
@pytest.mark.covers("directions: scale out", drawn="any of 1 to 8")
def test_output_is_exact_whatever_the_rescale(one_jvm_cluster: OneJvmCluster, case: Case) -> None:
    check(one_jvm_cluster, case)


@pytest.mark.matrix
@given(cases())
@examples(200, same=False)
@pytest.mark.covers("directions: scale out", drawn="any of 1 to 8")
def test_output_is_exact_whatever_the_rescale_many_times(one_jvm_cluster: OneJvmCluster, case: Case) -> None:
    check(one_jvm_cluster, case)
