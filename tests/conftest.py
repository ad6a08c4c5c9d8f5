"""One cluster for all end-to-end tests of a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("harness")

from harness.cluster import Cluster, started  # noqa: E402
from harness.command import Pyctl  # noqa: E402


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One JobManager and three TaskManagers, all with the plug-in; a test leaves it as it found it."""
    with started(tmp_path_factory.mktemp("cluster"), task_managers=3, slots=3) as one:
        yield one


@pytest.fixture
def pyctl(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> Pyctl:
    """`pyctl` with `-m` of the cluster."""
    return Pyctl(cluster.address, capsys)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Say at each failure where the logs are."""
    report = yield
    shared = getattr(item, "funcargs", {}).get("cluster")
    if report.failed and isinstance(shared, Cluster):
        report.sections.append(("logs of the cluster", str(shared.local.layout.log)))
    return report
