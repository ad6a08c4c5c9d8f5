package dev.drrs.flink;

/** Members of operators, their functions and serializers. */
public final class OperatorMembers {

    private static final String OPERATORS = "org.apache.flink.streaming.api.operators.";
    private static final String RUNTIME = "org.apache.flink.streaming.runtime.operators.";
    private static final String TYPES = "org.apache.flink.api.java.typeutils.runtime.";

    private static final String V1 = OPERATORS + "AbstractStreamOperator";
    public static final Member OUTPUT =
            Member.of(V1, "output", "Lorg/apache/flink/streaming/api/operators/Output;");
    public static final Member TIMERS =
            Member.of(
                    V1,
                    "timeServiceManager",
                    "Lorg/apache/flink/streaming/api/operators/InternalTimeServiceManager;");
    public static final Member INTERRUPTIBLE =
            Member.of(
                    V1,
                    "watermarkProcessor",
                    "Lorg/apache/flink/streaming/api/operators/MailboxWatermarkProcessor;");
    public static final Member RUNTIME_CONTEXT =
            Member.of(
                    V1,
                    "runtimeContext",
                    "Lorg/apache/flink/streaming/api/operators/StreamingRuntimeContext;");
    private static final String V2 = OPERATORS + "AbstractStreamOperatorV2";
    public static final Member OUTPUT_V2 =
            Member.of(V2, "output", "Lorg/apache/flink/streaming/api/operators/Output;");
    public static final Member TIMERS_V2 =
            Member.of(
                    V2,
                    "timeServiceManager",
                    "Lorg/apache/flink/streaming/api/operators/InternalTimeServiceManager;");
    public static final Member INTERRUPTIBLE_V2 =
            Member.of(
                    V2,
                    "watermarkProcessor",
                    "Lorg/apache/flink/streaming/api/operators/MailboxWatermarkProcessor;");
    public static final Member RUNTIME_CONTEXT_V2 =
            Member.of(
                    V2,
                    "runtimeContext",
                    "Lorg/apache/flink/streaming/api/operators/StreamingRuntimeContext;");
    private static final String WITH_FUNCTION = OPERATORS + "AbstractUdfStreamOperator";
    public static final Member USER_FUNCTION =
            Member.of(
                    WITH_FUNCTION,
                    "userFunction",
                    "Lorg/apache/flink/api/common/functions/Function;");
    private static final String ASYNC = OPERATORS + "async.AsyncWaitOperator";
    public static final Member AWAIT_REQUESTS =
            Member.of(ASYNC, "waitInFlightInputsFinished", "()V");
    private static final String SINK = RUNTIME + "sink.SinkWriterOperator";
    public static final Member SINK_WRITER =
            Member.of(SINK, "sinkWriter", "Lorg/apache/flink/api/connector/sink2/SinkWriter;");
    public static final Member SINK_ENDED = Member.of(SINK, "endOfInput", "Z");
    private static final String POJO = TYPES + "PojoSerializer";
    public static final Member POJO_CLASS = Member.of(POJO, "clazz", "Ljava/lang/Class;");
    private static final String KRYO = TYPES + "kryo.KryoSerializer";
    public static final Member KRYO_CLASS = Member.of(KRYO, "type", "Ljava/lang/Class;");

    private OperatorMembers() {}
}
