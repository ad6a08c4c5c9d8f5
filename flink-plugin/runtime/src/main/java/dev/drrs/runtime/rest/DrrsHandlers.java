package dev.drrs.runtime.rest;

import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.request.JobRequest.Verb;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.rest.HttpMethodWrapper;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rest.versioning.RestAPIVersion;
import org.apache.flink.runtime.rest.versioning.RuntimeRestAPIVersion;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;

/** The plug-in's endpoints on the JobManager's own REST port. */
public final class DrrsHandlers {

    private static final String DRAINS = "/drrs/drains";
    private static final String JOB = "/jobs/:" + JobHandler.JOB_ID + "/drrs";
    private static final String RESCALES = JOB + "/rescales";
    private static final String RESCALE = RESCALES + "/:" + JobHandler.RESCALE_ID;

    /** Where an endpoint is; as each of Flink's, also below {@code /v1}. */
    private record Endpoint(HttpMethodWrapper method, String url)
            implements RestHandlerSpecification {

        @Override
        public HttpMethodWrapper getHttpMethod() {
            return method;
        }

        @Override
        public String getTargetRestEndpointURL() {
            return url;
        }

        @Override
        public Collection<? extends RestAPIVersion<?>> getSupportedAPIVersions() {
            return List.of(RuntimeRestAPIVersion.V1);
        }
    }

    private DrrsHandlers() {}

    /**
     * Adds the endpoints to those that the REST server is about to register; once per server.
     *
     * @param handlers the server's own list, changed
     * @param responseHeaders what the server adds to each response
     */
    public static void add(
            List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers,
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            GatewayRetriever<ResourceManagerGateway> resourceManagerRetriever,
            MetricFetcher metricFetcher,
            Map<String, String> responseHeaders,
            Configuration clusterConfiguration) {
        KeptMetrics.configure(clusterConfiguration);
        Duration timeout = clusterConfiguration.get(WebOptions.TIMEOUT);
        long maxBody = clusterConfiguration.get(DrrsOptions.REQUEST_SIZE).getBytes();
        ClusterReader cluster =
                new ClusterReader(
                        resourceManagerRetriever, metricFetcher, clusterConfiguration, timeout);
        handlers.add(
                Tuple2.of(
                        new Endpoint(HttpMethodWrapper.GET, "/drrs/overview"),
                        new OverviewHandler(leaderRetriever, responseHeaders, maxBody, cluster)));
        handlers.add(
                Tuple2.of(
                        new Endpoint(HttpMethodWrapper.POST, DRAINS),
                        new DrainHandler(
                                true, leaderRetriever, responseHeaders, maxBody, cluster)));
        handlers.add(
                Tuple2.of(
                        new Endpoint(
                                HttpMethodWrapper.DELETE,
                                DRAINS + "/:" + DrainHandler.TASK_MANAGER),
                        new DrainHandler(
                                false, leaderRetriever, responseHeaders, maxBody, cluster)));
        Map<Endpoint, Verb> jobEndpoints =
                Map.of(
                        new Endpoint(HttpMethodWrapper.GET, JOB + "/vertices"), Verb.VERTICES,
                        new Endpoint(HttpMethodWrapper.POST, RESCALES), Verb.RESCALE,
                        new Endpoint(HttpMethodWrapper.GET, RESCALES), Verb.HISTORY,
                        new Endpoint(HttpMethodWrapper.GET, RESCALE), Verb.STATUS,
                        new Endpoint(HttpMethodWrapper.POST, RESCALE + "/abort"), Verb.ABORT);
        jobEndpoints.forEach(
                (endpoint, verb) ->
                        handlers.add(
                                Tuple2.of(
                                        endpoint,
                                        new JobHandler(
                                                verb,
                                                leaderRetriever,
                                                responseHeaders,
                                                maxBody,
                                                cluster,
                                                timeout))));
    }
}
