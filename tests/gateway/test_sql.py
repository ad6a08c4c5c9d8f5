"""SQL: operators that the catalogue knows put out what they do without a rescale, others are refused by name."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from harness.one_jvm import OneJvmCluster
from harness.sql import Query, final, latest, rows, sql_job

BIDS = 18_000
RATE = 400
WALK = (2, 4, 3)

STATEMENTS = (
    "CREATE TEMPORARY VIEW odd AS SELECT * FROM bid WHERE MOD(price, 41) = 1",
    "CREATE TEMPORARY VIEW even AS SELECT * FROM bid WHERE MOD(price, 41) = 2",
    "CREATE TEMPORARY VIEW averages AS"
    " SELECT auction, MOD(auction, 10) AS share, AVG(price) AS average FROM bid GROUP BY auction",
    "CREATE TEMPORARY VIEW counts AS"
    " SELECT auction, share, COUNT(*) AS bids FROM (SELECT auction, MOD(auction, 10) AS share FROM bid)"
    " GROUP BY auction, share",
    "CREATE TEMPORARY VIEW firsts AS SELECT auction, price, ts FROM ("
    " SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY ts) AS place FROM bid) WHERE place = 1",
)


def numbered(order: str, condition: str) -> str:
    return (
        f"SELECT * FROM (SELECT auction, price, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY {order}) AS place"
        f" FROM bid) WHERE place {condition}"
    )


def top(column: str, table: str) -> str:
    return (
        f"SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY share ORDER BY {column} DESC) AS place FROM {table})"
        " WHERE place <= 3"
    )


def over(window: str, order: str = "ts") -> str:
    return (
        f"SELECT auction, price, SUM(price) OVER (PARTITION BY auction ORDER BY {order} {window}) AS total,"
        f" COUNT(*) OVER (PARTITION BY auction ORDER BY {order} {window}) AS bids FROM bid"
    )


WINDOW = "window_start, window_end"
ROWS_BEFORE = "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW"
ALL_BEFORE = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
SECONDS_BEFORE = "RANGE BETWEEN INTERVAL '2' SECOND PRECEDING AND CURRENT ROW"


def in_table(function: str, table: str = "bid") -> str:
    return f"TABLE({function}(TABLE {table}, DESCRIPTOR(ts), INTERVAL '4' SECOND))"


KNOWN = (
    Query(
        "group", "SELECT auction, COUNT(*), SUM(price), COUNT(DISTINCT bidder) FROM bid GROUP BY auction",
        "GroupAggregate",
    ),
    Query("first by processing time", numbered("proc", "= 1"), "Deduplicate"),
    Query("last by processing time", numbered("proc DESC", "= 1"), "Deduplicate"),
    Query("first by event time", numbered("ts", "= 1"), "Deduplicate"),
    Query("last by event time", numbered("ts DESC", "= 1"), "Deduplicate"),
    Query("first five", numbered("proc", "<= 5"), "Rank"),
    Query("top of averages", top("average", "averages"), "Rank", final),
    Query("rows before", over(ROWS_BEFORE), "OverAggregate"),
    Query("seconds before", over(SECONDS_BEFORE), "OverAggregate"),
    Query("all before", over(ALL_BEFORE), "OverAggregate"),
    Query("rows before by processing time", over(ROWS_BEFORE, "proc"), "OverAggregate"),
    Query("all before by processing time", over(ALL_BEFORE, "proc"), "OverAggregate"),
    Query(
        "tumbling",
        "SELECT auction, TUMBLE_START(ts, INTERVAL '1' SECOND), COUNT(*), MAX(price) FROM bid"
        " GROUP BY auction, TUMBLE(ts, INTERVAL '1' SECOND)",
        "GroupWindowAggregate",
    ),
    Query(
        "hopping",
        "SELECT auction, HOP_START(ts, INTERVAL '1' SECOND, INTERVAL '3' SECOND), COUNT(*) FROM bid"
        " GROUP BY auction, HOP(ts, INTERVAL '1' SECOND, INTERVAL '3' SECOND)",
        "GroupWindowAggregate",
    ),
    Query(
        "join", "SELECT odd.auction, odd.price, even.price FROM odd JOIN even ON odd.auction = even.auction",
        "Join", rows,
    ),
    Query(
        "left join", "SELECT odd.auction, odd.price, even.price FROM odd LEFT JOIN even ON odd.auction = even.auction",
        "Join", final,
    ),
    Query(
        "exists", "SELECT auction, price FROM odd WHERE EXISTS (SELECT * FROM even WHERE even.auction = odd.auction)",
        "Join", final,
    ),
    Query(
        "join of several",
        "SET table.optimizer.multi-join.enabled = true; SELECT odd.auction, odd.price, even.price, firsts.price"
        " FROM odd JOIN even ON odd.auction = even.auction JOIN firsts ON odd.auction = firsts.auction",
        "MultiJoin", rows,
    ),
    Query(
        "join of windows",
        "SELECT a.auction, a.price, b.price, a.window_start"
        f" FROM {in_table('TUMBLE', 'odd')} a JOIN {in_table('TUMBLE', 'even')} b"
        " ON a.auction = b.auction AND a.window_start = b.window_start AND a.window_end = b.window_end",
        "WindowJoin", rows,
    ),
    Query(
        "join as of",
        "SELECT odd.auction, odd.price, latest.price FROM odd JOIN latest FOR SYSTEM_TIME AS OF odd.ts"
        " ON odd.auction = latest.auction",
        "TemporalJoin", rows,
    ),
    Query("latest", "SELECT auction, price FROM latest", "ChangelogNormalize"),
    # The planner does not see that there is one auction to each key of the sink.
    Query(
        "inserted by key",
        "SET table.exec.sink.require-on-conflict = false; SELECT auction * 7 AS seven, price FROM latest",
        "SinkMaterializer", latest,
    ),
    Query("inserted with time", numbered("ts", "= 1").replace("auction, price", "auction, ts"), "Deduplicate"),
    Query(
        "windows of firsts", f"SELECT auction, price, window_start FROM {in_table('TUMBLE', 'firsts')}", "Deduplicate"
    ),
    Query(
        "windows of firsts, first phase",
        f"SELECT window_start, COUNT(*), SUM(price) FROM {in_table('TUMBLE', 'firsts')} GROUP BY {WINDOW}",
        "Deduplicate", rows, chained="LocalWindowAggregate",
    ),
    Query("printed", "SELECT auction, SUM(price) FROM odd GROUP BY auction", "GroupAggregate"),
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """What the queries have put out, by name, as it is compared."""

    alone: dict[str, object]
    rescaled: dict[str, object]


@pytest.fixture(scope="module")
def run(one_jvm_cluster: OneJvmCluster) -> Run:
    """All queries are one job: most of the time goes into planning and starting it."""
    stock = {"drrs.enabled": "false"}
    with sql_job(one_jvm_cluster, "sql-alone", STATEMENTS, KNOWN, stock, bids=BIDS, rate=RATE) as job:
        job.finish()
        alone = {query.name: job.judged(query) for query in KNOWN}
    elastic = {"drrs.enabled": "true", "drrs.ceiling": "4"}
    with sql_job(one_jvm_cluster, "sql-rescaled", STATEMENTS, KNOWN, elastic, bids=BIDS, rate=RATE) as job:
        job.await_running()
        vertices = job.vertices(KNOWN)
        assert [vertex.reason for vertex in vertices] == [None] * len(KNOWN)
        for parallelism in WALK[1:]:
            job.rescale(vertices, parallelism)
        assert 0 < len(one_jvm_cluster.changes(job.name, "rows before")) < BIDS, "no bids came in the rescales"
        job.finish()
        return Run(alone, {query.name: job.judged(query) for query in KNOWN})


@pytest.mark.covers("job shapes: SQL operators of the catalogue, changes of each key in their order", path=WALK)
@pytest.mark.parametrize("query", KNOWN, ids=lambda query: query.name)
def test_sql(run: Run, query: Query) -> None:
    assert run.rescaled[query.name] == run.alone[query.name]


MINI_BATCH = (
    "SET table.exec.mini-batch.enabled = true; SET table.exec.mini-batch.allow-latency = 1 s;"
    " SET table.exec.mini-batch.size = 100; "
)
REFUSED = {
    Query("top one", numbered("price DESC", "= 1"), "Rank"): "FastTop1Function",
    Query("top ten", numbered("price DESC", "<= 10"), "Rank"): "AppendOnlyTopNFunction",
    Query("top of counts", top("bids", "counts"), "Rank"): "UpdatableTopNFunction",
    Query(
        "session of rows", "SELECT auction, COUNT(*) FROM bid GROUP BY auction, SESSION(ts, INTERVAL '1' SECOND)",
        "GroupWindowAggregate",
    ): "SessionWindowAssigner",
    Query(
        "window aggregate", f"SELECT auction, COUNT(*) FROM {in_table('TUMBLE')} GROUP BY auction, {WINDOW}",
        "GlobalWindowAggregate",
    ): "WindowAggOperator",
    Query(
        "session", "SELECT auction, COUNT(*) FROM TABLE(SESSION(TABLE bid PARTITION BY auction, DESCRIPTOR(ts),"
        f" INTERVAL '1' SECOND)) GROUP BY auction, {WINDOW}",
        "WindowAggregate",
    ): "WindowAggOperator",
    Query(
        "session without groups", "SELECT auction, window_start FROM TABLE(SESSION(TABLE bid PARTITION BY auction,"
        " DESCRIPTOR(ts), INTERVAL '1' SECOND))",
        "WindowTableFunction",
    ): "UnalignedWindowTableFunctionOperator",
    Query(
        "top of windows",
        f"SELECT * FROM (SELECT auction, price, {WINDOW}, ROW_NUMBER() OVER (PARTITION BY auction, {WINDOW}"
        f" ORDER BY price DESC) AS place FROM {in_table('TUMBLE')}) WHERE place <= 3",
        "WindowRank",
    ): "WindowAggOperator",
    Query(
        "interval join", "SELECT odd.auction FROM odd JOIN even ON odd.auction = even.auction"
        " AND odd.ts BETWEEN even.ts - INTERVAL '1' SECOND AND even.ts",
        "IntervalJoin",
    ): "KeyedCoProcessOperatorWithWatermarkDelay",
    Query(
        "interval join by processing time", "SELECT odd.auction FROM odd JOIN even ON odd.auction = even.auction"
        " AND odd.proc BETWEEN even.proc - INTERVAL '1' SECOND AND even.proc",
        "IntervalJoin",
    ): "ProcTimeIntervalJoin",
    Query(
        "mini-batch", MINI_BATCH + "SELECT auction, COUNT(*) FROM bid GROUP BY auction", "GlobalGroupAggregate"
    ): "table.exec.mini-batch.enabled",
    Query(
        "asynchronous state",
        "SET table.exec.async-state.enabled = true; SELECT auction, COUNT(*) FROM bid GROUP BY auction",
        "GroupAggregate",
    ): "table.exec.async-state.enabled",
    Query(
        "process table function", "SELECT * FROM passing(TABLE bid PARTITION BY auction)", "ProcessTableFunction"
    ): "ProcessTableOperatorFactory",
    Query(
        "not in a test", over(SECONDS_BEFORE, "proc"), "OverAggregate"
    ): "over.ProcTimeRangeBoundedPrecedingFunction, of which it is not known",
    Query(
        "pattern", "SELECT * FROM bid MATCH_RECOGNIZE (PARTITION BY auction ORDER BY ts MEASURES A.price AS low"
        " ONE ROW PER MATCH PATTERN (A B) DEFINE B AS B.price > A.price)",
        "Match",
    ): "StreamRecordTimestampInserter",
}  # fmt: skip


@pytest.fixture(scope="module")
def reasons(one_jvm_cluster: OneJvmCluster) -> dict[str, str | None]:
    """Why each of them is refused, by name."""
    elastic = {"drrs.enabled": "true", "drrs.ceiling": "4"}
    with sql_job(one_jvm_cluster, "sql-refused", STATEMENTS, list(REFUSED), elastic, bids=BIDS, rate=RATE) as job:
        job.await_vertices()  # the tasks of so many windows would want more managed memory than there is
        names = [query.name for query in REFUSED]
        return dict(zip(names, (vertex.reason for vertex in job.vertices(REFUSED)), strict=True))


@pytest.mark.refuses("job shapes: SQL operators with caches, clocks, buffers or bundles of their own, or not in a test")
@pytest.mark.parametrize("query", REFUSED, ids=lambda query: query.name)
def test_sql_that_is_refused(reasons: dict[str, str | None], query: Query) -> None:
    assert REFUSED[query] in (reasons[query.name] or "")
