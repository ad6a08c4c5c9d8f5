"""One cluster of each kind for all end-to-end tests of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

pytest.register_assert_rewrite("harness")

from harness import one_jvm, processes  # noqa: E402
from harness.cluster import Cluster  # noqa: E402
from harness.command import Pyctl  # noqa: E402
from harness.features import MarkerError, proofs  # noqa: E402

LONGEST = (
    "e2e", "one_jvm", "gateway", "test_chaos", "oracle", "test_shapes_drawn", "test_high_availability"
)  # fmt: skip
"""Groups of tests that begin first, so that at the end no worker is left alone with one of them."""

SHARED_CLUSTER = ("e2e", "one_jvm", "gateway")
"""Folders whose tests share one."""

OWN_CLUSTER = ("test_chaos", "test_high_availability", "test_memory", "test_shapes_drawn", "test_tls")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[processes.ProcessCluster]:
    """One JobManager and three TaskManagers, all with the plug-in; a test leaves it as it found it."""
    with processes.started(
        tmp_path_factory.mktemp("cluster"), task_managers=3, slots=3, options=processes.REPORTING
    ) as one:
        yield one


@pytest.fixture(scope="session")
def one_jvm_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[one_jvm.OneJvmCluster]:
    """The same in one JVM."""
    with one_jvm.started(tmp_path_factory.mktemp("one-jvm"), task_managers=3, slots=3) as one:
        yield one


@pytest.fixture(scope="session")
def stock_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[one_jvm.OneJvmCluster]:
    """A cluster in one JVM that knows nothing of the plug-in."""
    with one_jvm.started(tmp_path_factory.mktemp("stock"), task_managers=3, slots=3, plugin=False) as one:
        yield one


@pytest.fixture
def pyctl(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> Pyctl:
    """`pyctl` with `-m` of the cluster."""
    return Pyctl(cluster.address, capsys)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Say at each failure where the logs are."""
    report = yield
    clusters = [value for value in getattr(item, "funcargs", {}).values() if isinstance(value, Cluster)]
    if report.failed:
        report.sections += [("logs of the cluster", str(cluster.logs)) for cluster in clusters]
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse to run if a marker of the support matrix is wrong; have the longest groups begin."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(group(item.nodeid), len(places)))
    try:
        proofs(items)
    except MarkerError as error:
        raise pytest.UsageError(str(error)) from error


def group(node: str) -> str:
    """Tests of one group have one worker: few start a cluster of a kind, as that takes as long as several jobs."""
    path = Path(node.partition("::")[0])
    if path.stem in OWN_CLUSTER:
        return path.stem
    if path.stem == "test_oracle":
        return "oracle"
    return path.parent.name if path.parent.name in SHARED_CLUSTER else path.stem


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Give groups to workers in the order in which they are collected."""
    return Groups(config, log)


class Groups(LoadScopeScheduling):
    """Work in units of groups."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)
