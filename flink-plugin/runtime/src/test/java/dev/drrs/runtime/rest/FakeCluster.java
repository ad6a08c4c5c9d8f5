package dev.drrs.runtime.rest;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.rpc.RpcGateway;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;

/** A Dispatcher and a ResourceManager that answer what a test told them, by method name. */
final class FakeCluster {

    private final Map<String, Function<Object[], CompletableFuture<?>>> answers = new HashMap<>();
    private boolean leaders = true;

    FakeCluster on(String method, Function<Object[], CompletableFuture<?>> answer) {
        answers.put(method, answer);
        return this;
    }

    FakeCluster withoutLeaders() {
        leaders = false;
        return this;
    }

    GatewayRetriever<RestfulGateway> dispatcher() {
        return retriever(RestfulGateway.class);
    }

    GatewayRetriever<ResourceManagerGateway> resourceManager() {
        return retriever(ResourceManagerGateway.class);
    }

    private <T extends RpcGateway> GatewayRetriever<T> retriever(Class<T> type) {
        InvocationHandler handler =
                (proxy, method, arguments) -> {
                    Function<Object[], CompletableFuture<?>> answer = answers.get(method.getName());
                    if (answer == null) {
                        throw new UnsupportedOperationException(
                                "not expected by this test: " + method.getName());
                    }
                    return answer.apply(arguments);
                };
        T gateway =
                type.cast(
                        Proxy.newProxyInstance(
                                type.getClassLoader(), new Class<?>[] {type}, handler));
        return () ->
                leaders ? CompletableFuture.completedFuture(gateway) : new CompletableFuture<>();
    }
}
