package dev.drrs.runtime.catalog;

import static dev.drrs.runtime.catalog.Known.TIMERS;
import static dev.drrs.runtime.catalog.Known.refused;
import static dev.drrs.runtime.catalog.Known.works;
import static dev.drrs.runtime.catalog.Role.BEHIND;
import static dev.drrs.runtime.catalog.Role.HEAD;

import java.util.List;

/** Operators of the DataStream API of Flink 2.3, and those of its libraries. Data only. */
final class DataStreamOperators {

    private static final String API = "org.apache.flink.streaming.api.operators.";
    private static final String RUNTIME = "org.apache.flink.streaming.runtime.operators.";

    private static final String MATRIX = "test_oracle.py: test_output_is_exact";
    private static final String HEADS = "KeyedOperatorsITCase: everyKindOfKeyedOperator";

    private static final String ALL_AT_ONCE =
            "keeps all records until its input ends, so there is nothing to rescale";
    static final String ASYNCHRONOUS =
            "uses asynchronous state, whose requests under way a rescale does not wait for";
    private static final String NO_ASYNC =
            "leave out enableAsyncState(), in SQL set table.exec.async-state.enabled to false";
    private static final String SINK_HEAD =
            "goes by a clock of its own, and writes what it has at a checkpoint only";
    private static final String BEFORE_SINK =
            "put an operator with the keyed logic, or a map(), between keyBy() and the sink";

    private DataStreamOperators() {}

    static final List<Known> ROWS =
            List.of(
                    works("KeyedStream.process", API + "KeyedProcessOperator", MATRIX, HEAD)
                            .clock(TIMERS),
                    refused(
                                    "KeyedStream.process(ProcessFunction)",
                                    API + "ProcessOperator",
                                    "shows its function a clock of its own, which is ahead of that of a"
                                            + " key group on its way",
                                    "use a KeyedProcessFunction",
                                    HEAD)
                            .clock("its own"),
                    works("KeyedStream.map; map", API + "StreamMap", HEADS, HEAD, BEHIND),
                    works(
                            "KeyedStream.flatMap; flatMap",
                            API + "StreamFlatMap",
                            HEADS,
                            HEAD,
                            BEHIND),
                    works("KeyedStream.filter; filter", API + "StreamFilter", HEADS, HEAD, BEHIND),
                    works(
                            "KeyedStream.reduce, sum, min, max",
                            API + "StreamGroupedReduceOperator",
                            HEADS,
                            HEAD),
                    works(
                                    "window, all kinds of assigners, merging ones too; join, coGroup in windows",
                                    RUNTIME + "windowing.WindowOperator",
                                    MATRIX,
                                    HEAD)
                            .clock(TIMERS),
                    works(
                                    "window with an evictor",
                                    RUNTIME + "windowing.EvictingWindowOperator",
                                    HEADS,
                                    HEAD)
                            .clock(TIMERS),
                    works(
                                    "connect(keyed).process",
                                    API + "co.KeyedCoProcessOperator",
                                    "SeveralInputsITCase",
                                    HEAD)
                            .clock(TIMERS),
                    works(
                                    "connect(keyed).process(CoProcessFunction)",
                                    API + "co.LegacyKeyedCoProcessOperator",
                                    HEADS,
                                    HEAD)
                            .clock(TIMERS),
                    works("connect.map", API + "co.CoStreamMap", HEADS, HEAD, BEHIND),
                    works("connect.flatMap", API + "co.CoStreamFlatMap", HEADS, HEAD, BEHIND),
                    works("connect.process", API + "co.CoProcessOperator", HEADS, BEHIND)
                            .clock("follows the emitted watermark"),
                    works(
                                    "connect(broadcast).process",
                                    API + "co.CoBroadcastWithKeyedOperator",
                                    "BroadcastInputITCase",
                                    HEAD)
                            .holding("broadcast state", "copied to new subtasks")
                            .clock(TIMERS),
                    works(
                                    "intervalJoin",
                                    API + "co.IntervalJoinOperator",
                                    "SeveralInputsITCase: anIntervalJoin",
                                    HEAD)
                            .clock(TIMERS),
                    works("process", API + "ProcessOperator", MATRIX, BEHIND)
                            .clock("follows the emitted watermark"),
                    works("project", API + "StreamProject", HEADS, BEHIND),
                    works("addSink", API + "StreamSink", HEADS, BEHIND)
                            .holding("what the SinkFunction buffers", "its own invoke")
                            .clock("follows the emitted watermark"),
                    refused(
                                    "addSink behind keyBy",
                                    API + "StreamSink",
                                    SINK_HEAD,
                                    BEFORE_SINK,
                                    HEAD)
                            .clock("its own"),
                    refused(
                                    "executeAndCollect, collectAsync at parallelism 1",
                                    API + "collect.CollectSinkOperator",
                                    "hands results to a coordinator in the JobManager that knows one"
                                            + " subtask only",
                                    null,
                                    BEHIND)
                            .holding("results not fetched yet", "completed checkpoints"),
                    works("sinkTo", RUNTIME + "sink.SinkWriterOperator", "test_sinks.py", BEHIND)
                            .holding("what the SinkWriter buffers", "SinkWriter.flush at a detach")
                            .clock("follows the emitted watermark"),
                    refused(
                                    "sinkTo behind keyBy",
                                    RUNTIME + "sink.SinkWriterOperator",
                                    SINK_HEAD,
                                    BEFORE_SINK,
                                    HEAD)
                            .clock("its own"),
                    works(
                                    "sinkTo, its committer",
                                    RUNTIME + "sink.CommitterOperator",
                                    "test_sinks.py",
                                    BEHIND)
                            .holding("committables", "completed checkpoints"),
                    works(
                                    "AsyncDataStream",
                                    API + "async.AsyncWaitOperator",
                                    "KeyedOperatorsITCase: anAsynchronousCallBehindTheOperator",
                                    BEHIND)
                            .holding("records in flight", "waited for at a detach")
                            .clock("follows the emitted watermark"),
                    refused(
                                    "AsyncDataStream behind keyBy",
                                    API + "async.AsyncWaitOperator",
                                    "holds records in flight and watermarks between them, which a"
                                            + " rescale would overtake",
                                    "have the call in an operator behind a map() or process()",
                                    HEAD)
                            .holding("records in flight, watermarks", "-"),
                    refused(
                            "asQueryableState",
                            "org.apache.flink.streaming.api.functions.query.*",
                            "answers queries for the key groups only that its subtasks begin with",
                            null,
                            HEAD),
                    refused(
                            "sortPartition",
                            API + "sortpartition.*",
                            ALL_AT_ONCE,
                            null,
                            HEAD,
                            BEHIND),
                    refused(
                            "fullWindowPartition().mapPartition",
                            API + "MapPartitionOperator",
                            ALL_AT_ONCE,
                            null,
                            HEAD,
                            BEHIND),
                    refused(
                            "fullWindowPartition().reduce",
                            API + "PartitionReduceOperator",
                            ALL_AT_ONCE,
                            null,
                            HEAD,
                            BEHIND),
                    refused(
                            "fullWindowPartition().aggregate",
                            API + "PartitionAggregateOperator",
                            ALL_AT_ONCE,
                            null,
                            HEAD,
                            BEHIND),
                    refused(
                            "KeyedStream.enableAsyncState",
                            "org.apache.flink.runtime.asyncprocessing.operators.*",
                            ASYNCHRONOUS,
                            NO_ASYNC,
                            HEAD,
                            BEHIND),
                    refused(
                            "KeyedStream.enableAsyncState().reduce",
                            API + "StreamGroupedReduceAsyncStateOperator",
                            ASYNCHRONOUS,
                            NO_ASYNC,
                            HEAD),
                    refused(
                            "DataStream V2",
                            "org.apache.flink.datastream.impl.*",
                            "belongs to DataStream V2, which uses asynchronous state and watermarks"
                                    + " for a fixed number of channels",
                            "the job runs as on stock Flink; write it with the DataStream API to"
                                    + " rescale it live",
                            HEAD,
                            BEHIND),
                    works(
                                    "CEP.pattern",
                                    "org.apache.flink.cep.operator.CepOperator",
                                    "PatternITCase",
                                    HEAD)
                            .holding("SharedBuffer caches", "empty between elements")
                            .clock(TIMERS),
                    refused(
                                    "PyFlink DataStream",
                                    API + "python.*",
                                    "keeps records and watermarks in a bundle for the Python"
                                            + " process, and what that has read of keyed state in a cache that"
                                            + " nobody tells when a key group comes back",
                                    null,
                                    HEAD,
                                    BEHIND)
                            .holding("bundle; cache in the Python process", "end of the bundle"));
}
