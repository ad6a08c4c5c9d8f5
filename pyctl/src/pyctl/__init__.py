"""Control plane for live rescaling of keyed operators on stock Apache Flink.

Public entry points: `pyctl.client.Client` (REST), `pyctl.execution.Execution` with `pyctl.rescaling`,
`pyctl.rebalancing` and `pyctl.draining` (what the commands do), `pyctl.planner` (pure planning functions),
`pyctl.local_cluster.LocalCluster` (a Flink cluster on this machine), `pyctl.install` (a Flink home of one's own).
"""

__version__ = "0.1.0"
