"""Further scenarios of `e2e/test_oracle.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cluster import Cluster
from harness.oracle import check, marked
from harness.scenarios import IN_ONE_JVM, Scenario


@pytest.mark.parametrize("scenario", marked(IN_ONE_JVM))
def test_output_is_exact(cluster: Cluster, tmp_path: Path, scenario: Scenario) -> None:
    check(cluster, tmp_path, scenario)
