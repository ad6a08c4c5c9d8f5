"""How many outputs had which latency, in few enough steps to be drawn."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

_FINE_TO_MS = 1_000


def distribution(latency: DataFrame, since: int, until: int) -> DataFrame:
    """Outputs in [since, until] by latency: up_to_ms, records, in order.

    Latencies up to 1 s are told to the millisecond, longer ones are rounded up to the next 1 %.
    """
    within = latency.where(F.col("out").between(since, until))
    step = F.pow(F.lit(1.01), F.ceil(F.log(F.col("latency_ms") / _FINE_TO_MS) / F.log(F.lit(1.01)))) * _FINE_TO_MS
    up_to = F.when(F.col("latency_ms") <= _FINE_TO_MS, F.col("latency_ms")).otherwise(F.ceil(step)).cast("long")
    return within.groupBy(up_to.alias("up_to_ms")).agg(F.count("*").alias("records")).orderBy("up_to_ms")
