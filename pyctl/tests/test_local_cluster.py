"""LocalCluster on real JVMs: one start, everything asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyctl.errors import ClusterError
from pyctl.local_cluster import LocalCluster
from pyctl.local_cluster.process import start_time


@pytest.mark.cluster
def test_a_stock_cluster_comes_up_answers_and_leaves_no_process(tmp_path: Path) -> None:
    with LocalCluster(tmp_path / "cluster", task_managers=1, slots=2, stock=True) as cluster:
        overview = cluster.get("/overview")
        assert overview["taskmanagers"] == 1
        assert overview["slots-total"] == 2
        pids = [p.pid for p in cluster.state.processes]
        assert len(pids) == 2

        other = LocalCluster.attach(tmp_path / "cluster")
        assert other.rest_address == cluster.rest_address
        assert all(p.alive() for p in other.state.processes)
        with pytest.raises(ClusterError, match="already runs"):
            LocalCluster(tmp_path / "cluster", stock=True).start()

        added = cluster.add_task_manager()
        pids.append(added.pid)
        assert cluster.get("/overview")["slots-total"] == 4
        cluster.kill_task_manager(added)
        assert not added.alive()

        assert "No running jobs" in cluster.flink("list").stdout
    assert [start_time(pid) for pid in pids] == [None, None, None]
    with pytest.raises(ClusterError, match="No cluster was started"):
        LocalCluster.attach(tmp_path / "cluster")
