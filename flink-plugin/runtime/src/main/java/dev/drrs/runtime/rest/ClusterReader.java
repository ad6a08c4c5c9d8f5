package dev.drrs.runtime.rest;

import dev.drrs.runtime.AgentState;
import dev.drrs.runtime.request.JobRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricStore;
import org.apache.flink.runtime.rest.messages.taskmanager.TaskManagerInfo;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;

/**
 * What the REST port knows about the cluster: its TaskManagers, which of them are armed, its slots.
 * Thread-safe.
 */
final class ClusterReader {

    /**
     * One registered TaskManager.
     *
     * @param address host and port of its RPC
     * @param armed null while its first metrics have not arrived; false also with another plug-in
     *     than the JobManager's
     * @param identity version and build of its plug-in; null if it has none, tells none, or its
     *     metrics have not arrived
     * @param rehearsal what became of it, in words; null as {@code identity}
     * @param slots how many it has
     * @param freeSlots how many of them no job holds
     * @param usable false if nothing is placed there: it is drained, or Flink blocks its node
     */
    record TaskManager(
            String id,
            String address,
            Boolean armed,
            String identity,
            String rehearsal,
            int slots,
            int freeSlots,
            boolean usable) {

        /** Why it is not armed, for a fault. */
        private String shortcoming() {
            return id
                    + (identity == null
                            ? ""
                            : identity.equals(AgentState.identity())
                                    ? " (not armed, see its log)"
                                    : " (" + identity + ")");
        }
    }

    /**
     * Every Flink process has these gauges: where they are, {@link ArmedGauge} would be if the
     * plug-in were.
     */
    private static final String ALWAYS_PRESENT = "Status.JVM.Memory.Heap.Used";

    private static final Pattern RPC_ADDRESS = Pattern.compile("[^@]*@(.+)/user/rpc/.*");

    private final GatewayRetriever<ResourceManagerGateway> resourceManagerRetriever;
    private final MetricFetcher metricFetcher;
    private final boolean elastic;
    private final Duration timeout;

    ClusterReader(
            GatewayRetriever<ResourceManagerGateway> resourceManagerRetriever,
            MetricFetcher metricFetcher,
            Configuration clusterConfiguration,
            Duration timeout) {
        this.resourceManagerRetriever = resourceManagerRetriever;
        this.metricFetcher = metricFetcher;
        this.elastic = startsTaskManagers(clusterConfiguration);
        this.timeout = timeout;
    }

    /** Whether TaskManagers come by themselves when slots are missing. */
    boolean isElastic() {
        return elastic;
    }

    /**
     * The registered TaskManagers; fails with {@link NoLeaderException} while there is no
     * ResourceManager.
     */
    CompletableFuture<List<TaskManager>> taskManagers() {
        metricFetcher.update();
        return resourceManager()
                .thenCompose(gateway -> gateway.requestTaskManagerInfo(timeout))
                .thenApply(this::describe);
    }

    /**
     * Slots and TaskManagers without the plug-in, in one look; fails as {@link #taskManagers()}
     * does.
     */
    CompletableFuture<JobRequest.ClusterView> view() {
        return taskManagers().thenApply(this::summarize);
    }

    private JobRequest.ClusterView summarize(List<TaskManager> taskManagers) {
        List<String> withoutPlugin =
                taskManagers.stream()
                        .filter(taskManager -> Boolean.FALSE.equals(taskManager.armed()))
                        .map(TaskManager::shortcoming)
                        .sorted()
                        .toList();
        return new JobRequest.ClusterView(
                taskManagers.stream()
                        .filter(TaskManager::usable)
                        .mapToInt(TaskManager::freeSlots)
                        .sum(),
                taskManagers.stream().mapToInt(TaskManager::slots).sum(),
                withoutPlugin,
                taskManagers.stream()
                        .collect(
                                Collectors.toMap(
                                        TaskManager::id,
                                        taskManager ->
                                                taskManager.slots() - taskManager.freeSlots())),
                elastic);
    }

    private List<TaskManager> describe(Collection<TaskManagerInfo> infos) {
        return infos.stream()
                .map(
                        info -> {
                            String id = info.getResourceId().toString();
                            MetricStore.TaskManagerMetricStore metrics =
                                    metricFetcher.getMetricStore().getTaskManagerMetricStore(id);
                            return new TaskManager(
                                    id,
                                    hostAndPort(info.getAddress()),
                                    armed(metrics),
                                    metric(metrics, ArmedGauge.IDENTITY),
                                    metric(metrics, ArmedGauge.REHEARSAL),
                                    info.getNumberSlots(),
                                    info.getNumberAvailableSlots(),
                                    !info.getBlocked());
                        })
                .toList();
    }

    private static String metric(MetricStore.TaskManagerMetricStore metrics, String name) {
        return metrics == null ? null : metrics.getMetric(name);
    }

    private static Boolean armed(MetricStore.TaskManagerMetricStore metrics) {
        if (metrics == null) {
            return null;
        }
        String value = metrics.getMetric(ArmedGauge.METRIC);
        if (value == null && metrics.getMetric(ALWAYS_PRESENT) == null) {
            return null;
        }
        return "1".equals(value)
                && AgentState.identity().equals(metrics.getMetric(ArmedGauge.IDENTITY));
    }

    private CompletableFuture<ResourceManagerGateway> resourceManager() {
        Optional<ResourceManagerGateway> gateway = resourceManagerRetriever.getNow();
        return gateway.map(CompletableFuture::completedFuture)
                .orElseGet(
                        () ->
                                CompletableFuture.failedFuture(
                                        new NoLeaderException("ResourceManager")));
    }

    private static String hostAndPort(String rpcAddress) {
        Matcher matcher = RPC_ADDRESS.matcher(rpcAddress);
        return matcher.matches() ? matcher.group(1) : rpcAddress;
    }

    /**
     * The deployment target is the only trace of the kind of ResourceManager in the configuration.
     */
    private static boolean startsTaskManagers(Configuration configuration) {
        return configuration
                .getOptional(DeploymentOptions.TARGET)
                .filter(target -> target.startsWith("kubernetes-") || target.startsWith("yarn-"))
                .isPresent();
    }
}
