package dev.drrs.runtime.catalog;

import static dev.drrs.runtime.catalog.Known.TIMERS;
import static dev.drrs.runtime.catalog.Known.refused;
import static dev.drrs.runtime.catalog.Known.works;
import static dev.drrs.runtime.catalog.Role.BEHIND;
import static dev.drrs.runtime.catalog.Role.HEAD;

import java.util.ArrayList;
import java.util.List;

/**
 * Operators of SQL and the Table API of Flink 2.3, as pairs of operator and function where the
 * operator is the same for many queries. Data only. What is right by its code but not in a test is
 * not here, and so is refused as not examined.
 */
final class SqlOperators {

    private static final String API = "org.apache.flink.streaming.api.operators.";
    private static final String SQL = "org.apache.flink.table.runtime.operators.";
    private static final String PROCESS = API + "KeyedProcessOperator";
    private static final String CO_PROCESS = API + "co.KeyedCoProcessOperator";
    private static final String GROUP_WINDOW = SQL + "window.groupwindow.operator.";
    private static final String ASSIGNERS = SQL + "window.groupwindow.assigners.";

    private static final String TEST = "test_sql.py: test_sql";

    private static final String WRITE_BACK =
            "writes what it has in memory to keyed state at checkpoints only, so that a key group would leave without it";
    private static final String READ_CACHE =
            "keeps a copy of keyed state that nobody tells when a key group leaves and comes back";
    private static final String OWN_CLOCK =
            "judges records by a clock of its own, which is ahead of that of a key group on its way";
    private static final String WINDOW_TVF =
            "buffers records and fires windows by a clock of its own, which it keeps in union list state";
    private static final String BUNDLE =
            "collects records in a bundle, which watermarks would overtake in a rescale";
    private static final String HOLDS_TIME =
            "holds event time back by the length of its interval, which a rescale does not know of";
    private static final String IN_FLIGHT =
            "has look-ups in flight, which a rescale does not wait for";
    private static final String MAKES_TIME =
            "makes watermarks of its own, and does not pass on the event time that a rescale holds back";

    private static final String OLD_WINDOWS =
            "GROUP BY TUMBLE(..) or HOP(..) instead of the table function can be rescaled";
    private static final String NO_BUNDLES = "set table.exec.mini-batch.enabled to false";
    private static final String NO_ASYNC = "set table.exec.async-state.enabled to false";

    static final List<Known> ROWS = rows();

    private SqlOperators() {}

    private static List<Known> rows() {
        List<Known> all = new ArrayList<>();
        all.addAll(known());
        all.addAll(behind());
        all.addAll(refusedHeads());
        return List.copyOf(all);
    }

    private static List<Known> known() {
        return List.of(
                works("GROUP BY", PROCESS, TEST, HEAD).with(SQL + "aggregate.GroupAggFunction"),
                works("ROW_NUMBER() .. = 1 by processing time, first row", PROCESS, TEST, HEAD)
                        .with(SQL + "deduplicate.ProcTimeDeduplicateKeepFirstRowFunction"),
                works(
                                "ROW_NUMBER() .. = 1 by processing time, last row; an upsert source",
                                PROCESS,
                                TEST,
                                HEAD)
                        .with(SQL + "deduplicate.ProcTimeDeduplicateKeepLastRowFunction"),
                works("ROW_NUMBER() .. = 1 by event time, last row", PROCESS, TEST, HEAD)
                        .with(SQL + "deduplicate.RowTimeDeduplicateFunction"),
                works("ROW_NUMBER() .. = 1 by event time, first row", PROCESS, TEST, HEAD)
                        .with(SQL + "deduplicate.RowTimeDeduplicateKeepFirstRowFunction")
                        .clock(TIMERS),
                works("ROW_NUMBER() .. <= n by processing time", PROCESS, TEST, HEAD)
                        .with(SQL + "rank.AppendOnlyFirstNFunction"),
                works("ROW_NUMBER() .. <= n of rows that are taken back", PROCESS, TEST, HEAD)
                        .with(SQL + "rank.RetractableTopNFunction"),
                works("OVER (ROWS n PRECEDING) by event time", PROCESS, TEST, HEAD)
                        .with(SQL + "over.RowTimeRowsBoundedPrecedingFunction")
                        .clock(TIMERS),
                works("OVER (RANGE n PRECEDING) by event time", PROCESS, TEST, HEAD)
                        .with(SQL + "over.RowTimeRangeBoundedPrecedingFunction")
                        .clock(TIMERS),
                works("OVER (UNBOUNDED PRECEDING) by event time", PROCESS, TEST, HEAD)
                        .with(SQL + "over.RowTimeUnboundedPrecedingOverFunctionV2")
                        .clock(TIMERS),
                works("OVER (ROWS n PRECEDING) by processing time", PROCESS, TEST, HEAD)
                        .with(SQL + "over.ProcTimeRowsBoundedPrecedingFunction")
                        .clock(TIMERS),
                works("OVER (UNBOUNDED PRECEDING) by processing time", PROCESS, TEST, HEAD)
                        .with(SQL + "over.ProcTimeUnboundedPrecedingFunction"),
                works(
                                "GROUP BY TUMBLE, HOP of rows",
                                GROUP_WINDOW + "AggregateWindowOperator",
                                TEST,
                                HEAD)
                        .with(
                                ASSIGNERS + "TumblingWindowAssigner",
                                ASSIGNERS + "SlidingWindowAssigner")
                        .clock(TIMERS),
                works("JOIN", SQL + "join.stream.StreamingJoinOperator", TEST, HEAD),
                works(
                        "EXISTS, IN, NOT EXISTS",
                        SQL + "join.stream.StreamingSemiAntiJoinOperator",
                        TEST,
                        HEAD),
                works(
                        "JOIN of several (table.optimizer.multi-join.enabled)",
                        SQL + "join.stream.StreamingMultiJoinOperator",
                        TEST,
                        HEAD),
                works("JOIN of windows", SQL + "join.window.WindowJoinOperator", TEST, HEAD)
                        .clock(TIMERS),
                works(
                                "JOIN .. FOR SYSTEM_TIME AS OF by event time",
                                SQL + "join.temporal.TemporalRowTimeJoinOperator",
                                TEST,
                                HEAD)
                        .clock(TIMERS),
                works(
                        "sink with another key than its input",
                        SQL + "sink.SinkUpsertMaterializer",
                        TEST,
                        HEAD));
    }

    private static List<Known> behind() {
        return List.of(
                works(
                        "SELECT, WHERE, UNNEST, LATERAL TABLE, GROUPING SETS",
                        SQL + "CodeGenOperatorFactory",
                        TEST,
                        BEHIND),
                works("sink of the old kind", SQL + "sink.SinkOperator", TEST, BEHIND)
                        .holding("what the SinkFunction buffers", "its own invoke")
                        .clock("follows the emitted watermark"),
                works(
                        "changes to a DataStream",
                        SQL + "sink.OutputConversionOperator",
                        TEST,
                        BEHIND),
                works(
                        "NOT NULL and lengths at a sink",
                        SQL + "sink.constraint.ConstraintEnforcer",
                        TEST,
                        BEHIND),
                works(
                        "time of a row at a sink",
                        SQL + "sink.StreamRecordTimestampInserter",
                        TEST,
                        BEHIND),
                works(
                                "TABLE(TUMBLE(..)), HOP, CUMULATE without GROUP BY",
                                SQL + "window.tvf.operator.AlignedWindowTableFunctionOperator",
                                TEST,
                                BEHIND)
                        .clock("follows the emitted watermark"),
                works(
                                "first phase of GROUP BY window_start, ..",
                                SQL + "aggregate.window.LocalSlicingWindowAggOperator",
                                TEST,
                                BEHIND)
                        .holding("window buffer", "prepareSnapshotPreBarrier, watermarks")
                        .clock("follows the emitted watermark"),
                refused(
                        "mini-batches",
                        SQL + "wmassigners.ProcTimeMiniBatchAssignerOperator",
                        MAKES_TIME,
                        NO_BUNDLES,
                        BEHIND),
                refused(
                        "mini-batches by event time",
                        SQL + "wmassigners.RowTimeMiniBatchAssginerOperator",
                        MAKES_TIME,
                        NO_BUNDLES,
                        BEHIND),
                refused(
                        "filesystem table",
                        "org.apache.flink.connector.file.table.stream.*",
                        "tells by the number of its subtasks when a partition is complete",
                        null,
                        BEHIND),
                refused(
                                "Python UDF",
                                SQL + "python.*",
                                "sends records to a Python process in bundles, which no test has rescaled",
                                null,
                                HEAD,
                                BEHIND)
                        .holding("bundle", "prepareSnapshotPreBarrier"));
    }

    private static List<Known> refusedHeads() {
        return List.of(
                refused("ROW_NUMBER() .. = 1 by a column", PROCESS, WRITE_BACK, null, HEAD)
                        .with(SQL + "rank.FastTop1Function")
                        .holding("kvCache (write-back)", "snapshotState"),
                refused(
                                "ROW_NUMBER() .. <= n of rows with a key that grow",
                                PROCESS,
                                WRITE_BACK,
                                null,
                                HEAD)
                        .with(SQL + "rank.UpdatableTopNFunction")
                        .holding("kvRowKeyMap (write-back)", "snapshotState"),
                refused("ROW_NUMBER() .. <= n by a column", PROCESS, READ_CACHE, null, HEAD)
                        .with(SQL + "rank.AppendOnlyTopNFunction")
                        .holding("kvSortedMap (read cache)", "never"),
                refused(
                                "GROUP BY SESSION of rows",
                                GROUP_WINDOW + "AggregateWindowOperator",
                                READ_CACHE,
                                null,
                                HEAD)
                        .with(ASSIGNERS + "SessionWindowAssigner")
                        .holding("MergingWindowSet.cachedSortedWindows (read cache)", "never"),
                refused(
                                "TABLE(SESSION(..)) without GROUP BY",
                                SQL + "window.tvf.operator.UnalignedWindowTableFunctionOperator",
                                READ_CACHE,
                                null,
                                HEAD)
                        .holding("MergingWindowSet.cachedSortedWindows (read cache)", "never"),
                refused(
                                "GROUP BY window_start, .. of TUMBLE, HOP, CUMULATE, SESSION; window Top-N and deduplication",
                                SQL + "window.tvf.common.WindowAggOperator",
                                WINDOW_TVF,
                                OLD_WINDOWS,
                                HEAD)
                        .holding(
                                "window buffer; of SESSION MergingWindowSet.cachedSortedWindows; union list state",
                                "its own clock, prepareSnapshotPreBarrier")
                        .clock("its own (currentProgress)"),
                refused(
                                "interval JOIN by event time",
                                SQL + "join.KeyedCoProcessOperatorWithWatermarkDelay",
                                HOLDS_TIME,
                                null,
                                HEAD)
                        .holding("expiration times of all keys together", "-")
                        .clock("its own, delayed"),
                refused("interval JOIN by event time", CO_PROCESS, OWN_CLOCK, null, HEAD)
                        .with(SQL + "join.interval.RowTimeIntervalJoin")
                        .clock("its own"),
                refused("interval JOIN by processing time", CO_PROCESS, OWN_CLOCK, null, HEAD)
                        .with(SQL + "join.interval.ProcTimeIntervalJoin")
                        .clock("its own"),
                refused("process table function", SQL + "process.*", OWN_CLOCK, null, HEAD, BEHIND)
                        .clock("its own (three of them)"),
                refused(
                                "sink with ON CONFLICT",
                                SQL + "sink.WatermarkCompactingSinkMaterializer",
                                OWN_CLOCK,
                                null,
                                HEAD)
                        .clock("its own"),
                refused("mini-batches", SQL + "bundle.*", BUNDLE, NO_BUNDLES, HEAD, BEHIND)
                        .holding("bundle", "prepareSnapshotPreBarrier, watermarks"),
                refused(
                                "JOIN in mini-batches",
                                SQL
                                        + "join.stream.MiniBatchStreamingJoinOperator$MiniBatchInnerJoinStreamOperator",
                                BUNDLE,
                                NO_BUNDLES,
                                HEAD)
                        .holding("bundle", "prepareSnapshotPreBarrier, watermarks"),
                refused(
                                "LEFT JOIN in mini-batches",
                                SQL
                                        + "join.stream.MiniBatchStreamingJoinOperator$MiniBatchLeftOuterJoinStreamOperator",
                                BUNDLE,
                                NO_BUNDLES,
                                HEAD)
                        .holding("bundle", "prepareSnapshotPreBarrier, watermarks"),
                refused(
                                "RIGHT JOIN in mini-batches",
                                SQL
                                        + "join.stream.MiniBatchStreamingJoinOperator$MiniBatchRightOuterJoinStreamOperator",
                                BUNDLE,
                                NO_BUNDLES,
                                HEAD)
                        .holding("bundle", "prepareSnapshotPreBarrier, watermarks"),
                refused(
                                "FULL JOIN in mini-batches",
                                SQL
                                        + "join.stream.MiniBatchStreamingJoinOperator$MiniBatchFullOuterJoinStreamOperator",
                                BUNDLE,
                                NO_BUNDLES,
                                HEAD)
                        .holding("bundle", "prepareSnapshotPreBarrier, watermarks"),
                refused(
                                "look-up JOIN, in the order of keys",
                                SQL + "TableKeyedAsyncWaitOperator",
                                IN_FLIGHT,
                                null,
                                HEAD)
                        .holding("records in flight", "snapshotState"),
                refused(
                                "delta JOIN",
                                SQL + "join.deltajoin.StreamingDeltaJoinOperator",
                                IN_FLIGHT,
                                null,
                                HEAD)
                        .holding("records in flight", "snapshotState"),
                refused(
                        "GROUP BY window_start, .. with asynchronous state",
                        SQL + "window.async.*",
                        DataStreamOperators.ASYNCHRONOUS,
                        NO_ASYNC,
                        HEAD),
                refused(
                        "JOIN with asynchronous state",
                        SQL + "join.stream.asyncprocessing.*",
                        DataStreamOperators.ASYNCHRONOUS,
                        NO_ASYNC,
                        HEAD),
                refused(
                        "JOIN of windows with asynchronous state",
                        SQL + "join.window.asyncprocessing.*",
                        DataStreamOperators.ASYNCHRONOUS,
                        NO_ASYNC,
                        HEAD));
    }
}
