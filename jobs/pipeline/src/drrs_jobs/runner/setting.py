"""What was measured and on what, in words."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

from drrs_jobs.runner.evaluate import Comparison
from drrs_jobs.workloads.model import Rate

_CLUSTERS = {
    "each": "one for each run",
    "kept": "one for all runs of a workload: each begins with a run that is not recorded, of some rescales",
    "given": "one for all runs, which was there already",
}


def machine(document: Mapping[str, Any], comparison: Comparison) -> dict[str, str]:
    """What is the same for all runs of a bench, whose ``document`` it is."""
    run = comparison.recorded
    plugin = f", plug-in {run.plugin}" if run.plugin else ""
    return {
        "machine": str(document["machine"]),
        "clusters": _CLUSTERS[document.get("clusters", "each")],
        "order of the runs": _order(document),
        "versions": f"Flink {run.flink_version}{plugin}, Java {run.java}, Python {platform.python_version()}",
    }


def _order(document: Mapping[str, Any]) -> str:
    """Say in which order strategies followed each other."""
    rounds = document.get("order") or [[one["label"] for one in document["strategies"]]] * document["repeat"]
    first = ", ".join(rounds[0])
    if len(rounds) == 1 or len(rounds[0]) == 1:
        return first
    same = all(one == rounds[0] for one in rounds)
    return f"{first} in {'each round' if same else 'round 1; each further round begins one strategy later'}"


def _rate(rate: Rate) -> str:
    if rate.shape == "steps":
        return " then ".join(f"{step.events_per_second:,} ({step.seconds} s)" for step in rate.steps)
    changing = "" if rate.shape == "constant" else f" to {rate.other:,} ({rate.shape}, every {rate.period_s} s)"
    return f"{rate.events_per_second:,}{changing}"


def workload(comparison: Comparison, *, given: bool = False) -> dict[str, str]:
    """What is the workload's own; ``given``: not the cluster, which was there already."""
    of, operator, rate = comparison.workload, comparison.workload.operator, comparison.workload.rate
    skew = f", Zipf {of.keys.zipf:g} over {of.keys.count:,} keys" if of.keys else ""
    window = f", windows of {of.window.size_ms:,} ms each {of.window.slide_ms:,} ms" if of.window else ""
    made = ""
    if of.state.keys:
        mean = " on average" if of.state.spread else ""
        made = f"{of.state.keys:,} keys with {of.state.value_bytes:,} bytes each{mean}, "
    kind = "unaligned " if of.checkpoints.unaligned else ""
    return {
        "job": f"{of.title} (query {of.query}{skew}{window})",
        "rescale": f"operator {operator.uid}, {comparison.before} -> {comparison.after} subtasks, "
        f"{operator.key_groups} key groups"
        + ("" if given else f", {of.cluster.task_managers} TaskManagers of {of.cluster.slots} slots"),
        "load": f"{_rate(rate)} events per second for {of.seconds} s; each record of the "
        f"operator waits {operator.service_us / 1000:g} ms without using a processor",
        "state": f"{made}{comparison.recorded.state_bytes / 1e6:,.0f} MB in a checkpoint; {of.backend} backend, "
        f"an {kind}checkpoint each {of.checkpoints.interval_s} s".replace("an checkpoint", "a checkpoint"),
    }
