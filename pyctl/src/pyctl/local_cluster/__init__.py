"""A throw-away Flink cluster of separate JVMs on this machine, for tests, the demo and trying things out."""

from pyctl.local_cluster.cluster import ClusterSpec, ClusterState, LocalCluster

__all__ = ["ClusterSpec", "ClusterState", "LocalCluster"]
