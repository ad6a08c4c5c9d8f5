package dev.drrs.flink;

/** Members of the REST endpoint, of its answers and of what it shows. */
public final class RestMembers {

    private static final String SERVERS = "org.apache.flink.runtime.rest.";
    private static final String MESSAGES = "org.apache.flink.runtime.rest.messages.";
    private static final String WEBMONITOR = "org.apache.flink.runtime.webmonitor.";
    private static final String GRAPH = "org.apache.flink.runtime.executiongraph.";

    private static final String VERTEX = MESSAGES + "JobVertexDetailsInfo";
    public static final Member AGGREGATED =
            Member.of(
                    VERTEX,
                    "aggregated",
                    "Lorg/apache/flink/runtime/rest/messages/AggregatedTaskDetailsInfo;");
    private static final String AGGREGATES = MESSAGES + "AggregatedTaskDetailsInfo";
    public static final Member AGGREGATED_METRICS =
            Member.of(AGGREGATES, "metrics", "Ljava/util/Map;");
    private static final String ENDPOINT = WEBMONITOR + "WebMonitorEndpoint";
    public static final Member JOB_MANAGER =
            Member.of(
                    ENDPOINT,
                    "leaderRetriever",
                    "Lorg/apache/flink/runtime/webmonitor/retriever/GatewayRetriever;");
    public static final Member RESOURCE_MANAGER =
            Member.of(
                    ENDPOINT,
                    "resourceManagerRetriever",
                    "Lorg/apache/flink/runtime/webmonitor/retriever/GatewayRetriever;");
    public static final Member METRIC_FETCHER =
            Member.of(
                    ENDPOINT,
                    "metricFetcher",
                    "Lorg/apache/flink/runtime/rest/handler/legacy/metrics/MetricFetcher;");
    public static final Member CLUSTER_CONFIGURATION =
            Member.of(
                    ENDPOINT,
                    "clusterConfiguration",
                    "Lorg/apache/flink/configuration/Configuration;");
    private static final String SERVER = SERVERS + "RestServerEndpoint";
    public static final Member RESPONSE_HEADERS =
            Member.of(SERVER, "responseHeaders", "Ljava/util/Map;");
    private static final String SHOWN = GRAPH + "ArchivedExecutionJobVertex";
    public static final Member SHOWN_SUBTASKS =
            Member.of(
                    SHOWN,
                    "taskVertices",
                    "[Lorg/apache/flink/runtime/executiongraph/ArchivedExecutionVertex;");
    public static final Member SHOWN_PARALLELISM = Member.of(SHOWN, "parallelism", "I");

    private RestMembers() {}
}
