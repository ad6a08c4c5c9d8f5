"""What needs no processes of its own, but a cluster: about half the CPU time."""

from __future__ import annotations

import pytest

from harness.one_jvm import OneJvmCluster


@pytest.fixture(scope="session")
def cluster(one_jvm_cluster: OneJvmCluster) -> OneJvmCluster:
    """In place of one with several processes."""
    return one_jvm_cluster
