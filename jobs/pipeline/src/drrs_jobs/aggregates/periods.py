"""Latency over a period, and when it is steady again: what is left to do once Spark has counted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs.aggregates.over_time import BUCKET_MS
from drrs_jobs.figures import Row

_FINE_TO_MS = 1_000
_STEP = 1.01


@dataclass(frozen=True, slots=True)
class Period:
    """How many outputs of a period had which latency in milliseconds; each latency once, in order."""

    counted: Sequence[tuple[int, int]]

    @property
    def records(self) -> int:
        """How many outputs there are."""
        return sum(count for _, count in self.counted)

    @property
    def peak_ms(self) -> int | None:
        """The highest latency; None if there is no output."""
        return self.counted[-1][0] if self.counted else None

    @property
    def mean_ms(self) -> float | None:
        """The mean latency; None if there is no output."""
        return sum(latency * count for latency, count in self.counted) / self.records if self.counted else None

    def percentile(self, share: float) -> float | None:
        """Return the exact percentile, between two outputs in proportion; None if there is no output."""
        if not self.counted:
            return None
        at = (self.records - 1) * share
        below, above = math.floor(at), math.ceil(at)
        if below == above:
            return float(self._ranked(below))
        return (above - at) * self._ranked(below) + (at - below) * self._ranked(above)

    def distribution(self) -> tuple[Row, ...]:
        """Return outputs by latency in few enough steps to be drawn: up_to_ms, records, in order.

        Latencies up to 1 s are told to the millisecond, longer ones are rounded up to the next 1 %.
        """
        steps: dict[int, int] = {}
        for latency, count in self.counted:
            up_to = latency if latency <= _FINE_TO_MS else _rounded_up(latency)
            steps[up_to] = steps.get(up_to, 0) + count
        return tuple({"up_to_ms": up_to, "records": count} for up_to, count in sorted(steps.items()))

    def _ranked(self, rank: int) -> int:
        """Return the latency of the output with that many before it."""
        seen = 0
        for latency, count in self.counted:
            seen += count
            if seen > rank:
                return latency
        raise IndexError(rank)


def period(latency: DataFrame, since: int, until: int) -> Period:
    """Count the outputs in [since, until] by their latency."""
    within = latency.where(F.col("out").between(since, until))
    rows = within.groupBy("latency_ms").agg(F.count("*").alias("records")).collect()
    return Period(sorted((row["latency_ms"], row["records"]) for row in rows))


def stable_from(
    buckets: Sequence[Row], since: int, until: int, limit_ms: float, hold_ms: int
) -> tuple[int, int] | None:
    """Return the first moment from ``since`` on with ``hold_ms`` of good buckets, and how long they are good.

    A bucket is good if its ``worst_ms`` is below ``limit_ms``. If the data end (at ``until``) before ``hold_ms`` are
    over, the good buckets up to the end count; what is returned then says how long that was.
    """
    bad = sorted(
        row["bucket"]
        for row in buckets
        if row["worst_ms"] >= limit_ms and row["bucket"] + BUCKET_MS > since and row["bucket"] < until
    )
    # The moment of the request is a candidate as well: the latency may never have left its limit.
    candidates = [since, *(bucket + BUCKET_MS for bucket in bad)]
    for candidate, following in zip(candidates, [*bad, None], strict=True):
        held_ms = (until if following is None else following) - candidate
        if held_ms >= hold_ms or (following is None and held_ms > 0):
            return candidate, held_ms
    return None


def _rounded_up(latency_ms: int) -> int:
    return math.ceil(_STEP ** math.ceil(math.log(latency_ms / _FINE_TO_MS) / math.log(_STEP)) * _FINE_TO_MS)
