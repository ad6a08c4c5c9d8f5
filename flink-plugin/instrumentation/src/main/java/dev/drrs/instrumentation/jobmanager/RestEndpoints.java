package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.flink.RestMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.DrrsHandlers;
import java.util.List;
import java.util.Map;
import net.bytebuddy.asm.Advice;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;

/** Adds the plug-in's endpoints to the JobManager's own REST port. */
final class RestEndpoints extends WovenPoint {

    RestEndpoints() {
        super(
                "rest-endpoints",
                "org.apache.flink.runtime.webmonitor.WebMonitorEndpoint",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "initializeHandlers",
                                        "(Ljava/util/concurrent/CompletableFuture;)Ljava/util/List;"),
                                Handlers.class)),
                List.of(
                        RestMembers.JOB_MANAGER,
                        RestMembers.RESOURCE_MANAGER,
                        RestMembers.METRIC_FETCHER,
                        RestMembers.RESPONSE_HEADERS,
                        RestMembers.CLUSTER_CONFIGURATION));
    }

    /** Appends the handlers. */
    public static final class Handlers {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.FieldValue("leaderRetriever")
                        GatewayRetriever<? extends RestfulGateway> leader,
                @Advice.FieldValue("resourceManagerRetriever")
                        GatewayRetriever<ResourceManagerGateway> resourceManager,
                @Advice.FieldValue("metricFetcher") MetricFetcher metrics,
                @Advice.FieldValue("responseHeaders") Map<String, String> headers,
                @Advice.FieldValue("clusterConfiguration") Configuration configuration,
                @Advice.Return
                        List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers) {
            DrrsHandlers.add(handlers, leader, resourceManager, metrics, headers, configuration);
        }
    }
}
