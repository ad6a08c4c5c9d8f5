"""What a test proves: the markers `covers` and `refuses`, read and checked.

    @pytest.mark.covers("job shapes: side outputs", path=(2, 4))
    @pytest.mark.refuses("job shapes: RESCALE edge")

A feature is `group: name`. The pairs of parallelisms, the state backend and the checkpoints come from the test's
parameters where they have such attributes (as `Scenario`), or a parameter of the name `path` or `pair`; a test without
parameters gives them as arguments of the marker, where it uses them itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

GROUPS = (
    "directions", "job shapes", "time", "order of results", "state", "sinks", "checkpoints", "failures", "requests",
    "cluster", "reports",
)  # fmt: skip
_ARGUMENTS: dict[str, Any] = {"path": (), "pairs": None, "backend": "hashmap", "unaligned": False, "drawn": ""}


class MarkerError(Exception):
    """A marker is wrong; says which test has it and what is to be done."""


@dataclass(frozen=True)
class Proof:
    """One feature of one collected test.

    `drawn`: which parallelisms the test draws at random, in words. `short`: whether the test is in `make test`.
    """

    feature: str
    refused: bool
    test: str
    pairs: tuple[tuple[int, int], ...]
    drawn: str
    backend: str
    checkpoints: str
    short: bool


def proofs(items: Iterable[pytest.Item]) -> list[Proof]:
    """What the collected tests prove; raises MarkerError."""
    return [
        _proof(item, marker) for item in items for name in ("covers", "refuses") for marker in item.iter_markers(name)
    ]


def _proof(item: pytest.Item, marker: pytest.Mark) -> Proof:
    if len(marker.args) != 1 or not isinstance(marker.args[0], str):
        raise MarkerError(f"{item.nodeid}: {marker.name} takes one feature, as `group: name`.")
    if marker.kwargs.keys() - _ARGUMENTS.keys():
        raise MarkerError(f"{item.nodeid}: {marker.name} takes {', '.join(_ARGUMENTS)} and not {marker.kwargs}.")
    check_feature(item.nodeid, marker.args[0])
    given = dict(_ARGUMENTS) | _of_parameters(item) | dict(marker.kwargs)
    path, name = given["path"], getattr(item, "originalname", item.name)
    return Proof(
        feature=marker.args[0],
        refused=marker.name == "refuses",
        test=f"{item.path.name}: {name}",
        pairs=tuple(pairwise(path) if given["pairs"] is None else given["pairs"]),
        drawn=given["drawn"],
        backend=given["backend"],
        checkpoints="unaligned" if given["unaligned"] else "aligned",
        short=item.get_closest_marker("matrix") is None,
    )


def check_feature(test: str, feature: str) -> None:
    """Raise MarkerError if a feature is not `group: name` with a group that there is."""
    group, colon, name = feature.partition(": ")
    if not colon or not name or group not in GROUPS:
        raise MarkerError(f"{test}: the feature {feature!r} must start with one of {', '.join(GROUPS)}, then `: `.")


def _of_parameters(item: pytest.Item) -> dict[str, Any]:
    callspec = getattr(item, "callspec", None)
    parameters: dict[str, Any] = callspec.params if callspec else {}
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        found |= {key: getattr(value, key) for key in _ARGUMENTS if hasattr(value, key)}
        if name in ("path", "pair") and isinstance(value, Sequence):
            found["path"] = tuple(value)
        elif name in ("unaligned", "backend"):
            found[name] = value
    return found
