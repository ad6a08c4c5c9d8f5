package dev.drrs.runtime.rest;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.rest.RestServerEndpoint;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;

/**
 * Flink's own REST server with nothing but the plug-in's endpoints, in front of a {@link
 * FakeCluster}.
 */
final class TestRestServer implements AutoCloseable {

    /** A response with its body as JSON. */
    record Response(int status, String text, JsonNode json) {

        /** The code of the only error. */
        String onlyCode() {
            if (json.path("errors").size() != 1) {
                throw new AssertionError("not one error: " + text);
            }
            return json.path("errors").get(0).path("code").asText();
        }

        String message(int index) {
            return json.path("errors").get(index).path("message").asText();
        }
    }

    private final RestServerEndpoint server;
    private final HttpClient client = HttpClient.newHttpClient();

    TestRestServer(Path directory, FakeCluster cluster, MetricFetcher metrics) throws Exception {
        this(directory, cluster, metrics, new Configuration());
    }

    TestRestServer(Path directory, FakeCluster cluster, MetricFetcher metrics, Configuration extra)
            throws Exception {
        Configuration configuration = new Configuration(extra);
        configuration.set(RestOptions.ADDRESS, "127.0.0.1");
        configuration.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(WebOptions.UPLOAD_DIR, directory.toString());
        server =
                new RestServerEndpoint(configuration) {
                    @Override
                    protected List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>>
                            initializeHandlers(CompletableFuture<String> localAddress) {
                        List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers =
                                new ArrayList<>();
                        DrrsHandlers.add(
                                handlers,
                                cluster.dispatcher(),
                                cluster.resourceManager(),
                                metrics,
                                responseHeaders,
                                configuration);
                        return handlers;
                    }

                    @Override
                    protected void startInternal() {}
                };
        server.start();
    }

    Response get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(path)).GET());
    }

    Response post(String path, String body) throws IOException, InterruptedException {
        return send(
                HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    Response post(String path, byte[] body) throws IOException, InterruptedException {
        return send(
                HttpRequest.newBuilder(uri(path))
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    Response delete(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(path)).DELETE());
    }

    private URI uri(String path) {
        return URI.create(server.getRestBaseUrl() + path);
    }

    private Response send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response =
                client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Response(
                response.statusCode(),
                response.body(),
                new ObjectMapper().readTree(response.body()));
    }

    @Override
    public void close() throws Exception {
        server.closeAsync().get();
    }
}
