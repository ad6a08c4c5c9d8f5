"""The live strategies, each with the options that make it another mechanism; all of them keep one contract.

A strategy that is added to the plug-in is added here: `one_jvm/test_strategies.py` compares the names with those that
the JobManager lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mechanism:
    """A strategy as a request names it. `direct`: its signals overtake records, so some may be re-routed.

    `stepwise`: it takes so many steps that what is asked for in the midst of them falls between two.
    """

    name: str
    strategy: str
    options: Mapping[str, str] = field(default_factory=dict)
    direct: bool = False
    stepwise: bool = False

    def __str__(self) -> str:
        return self.name


def _without(switch: str, *, direct: bool = True) -> Mechanism:
    return Mechanism(f"drrs-without-{switch}", "drrs", {f"drrs.strategy.{switch}": "false"}, direct)


DRRS = Mechanism("drrs", "drrs", direct=True)
ABLATIONS = (
    _without("decoupling", direct=False),
    _without("record-scheduling"),
    _without("subscale-division"),
)
IN_BINS = Mechanism(
    "drrs-in-bins", "drrs", {"drrs.strategy.bins.from": "0", "drrs.strategy.bins.size": "200"}, direct=True
)
LAZY = Mechanism("lazy", "lazy", direct=True)
ON_ACCESS = Mechanism("lazy-on-access", "lazy", {"drrs.lazy.background": "false"}, direct=True)
REMOTE = Mechanism("remote", "remote", direct=True)
OTHERS = (
    Mechanism("reference", "reference", {"drrs.reference.round": "200"}, direct=True, stepwise=True),
    Mechanism("meces", "meces", {"drrs.meces.batch": "3"}, stepwise=True),
    Mechanism("megaphone", "megaphone", stepwise=True),
    Mechanism("otfs", "otfs"),
)

MECHANISMS = (DRRS, *ABLATIONS, IN_BINS, *OTHERS, LAZY, ON_ACCESS, REMOTE)

OPTIONS: Mapping[str, frozenset[str]] = {
    "drrs": frozenset(
        {
            "drrs.strategy.subscale-concurrency", "drrs.strategy.warm-up", "drrs.strategy.pull-window",
            "drrs.strategy.set-aside.records", "drrs.strategy.set-aside.bytes", "drrs.strategy.decoupling",
            "drrs.strategy.record-scheduling", "drrs.strategy.subscale-division", "drrs.strategy.bins.from",
            "drrs.strategy.bins.size", "drrs.strategy.node-concurrency", "drrs.strategy.subscale-key-groups",
            "drrs.copy-ahead", "drrs.copy-ahead.window", "drrs.copy-ahead.rate",
        }
    ),
    "reference": frozenset(
        f"drrs.reference.{name}"
        for name in (
            "round", "subscale-concurrency", "subscale-key-groups", "pull-window", "set-aside.records",
            "reroute.bytes", "reroute.timeout",
        )
    ),
    "meces": frozenset({"drrs.meces.batch", "drrs.meces.bins"}),
    "lazy": frozenset(
        f"drrs.lazy.{name}" for name in ("background", "batch", "bins", "set-aside.records", "set-aside.bytes")
    ),
    "remote": frozenset(
        f"drrs.remote.{name}" for name in ("key-groups", "batch", "bins", "set-aside.records", "set-aside.bytes")
    ),
    "megaphone": frozenset({"drrs.megaphone.batch"}),
    "otfs": frozenset(),
}  # fmt: skip
"""What a refusal of an option lists, by strategy."""
