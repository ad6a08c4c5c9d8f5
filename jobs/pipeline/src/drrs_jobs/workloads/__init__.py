"""Workloads as files: which job, under which load, is rescaled how; the files that come along are in ``shipped``."""
