package dev.drrs.runtime.rest;

import dev.drrs.runtime.AgentState;
import dev.drrs.runtime.drain.Drains;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;

/** Whether the JobManager and each TaskManager are armed, and which are drained. */
@ChannelHandler.Sharable
final class OverviewHandler extends JsonHandler {

    private final ClusterReader cluster;

    OverviewHandler(
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Map<String, String> responseHeaders,
            long maxBody,
            ClusterReader cluster) {
        super(leaderRetriever, responseHeaders, maxBody);
        this.cluster = cluster;
    }

    @Override
    CompletableFuture<JobAnswer> answer(Call call) {
        return cluster.taskManagers()
                .thenApply(
                        taskManagers ->
                                JobAnswer.ok(
                                        describe(taskManagers)
                                                .put("starts_task_managers", cluster.isElastic())
                                                .toString()));
    }

    private static ObjectNode describe(List<ClusterReader.TaskManager> taskManagers) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("version", AgentState.version()).put("build", AgentState.build());
        root.put("flink_version", EnvironmentInformation.getVersion());
        root.put("armed", AgentState.isArmed());
        root.put("reason", AgentState.reason());
        ArrayNode points = root.putArray("join_points");
        for (AgentState.Point point : AgentState.points()) {
            points.addObject()
                    .put("name", point.name())
                    .put("target", point.target())
                    .put("ok", point.ok());
        }
        ArrayNode list = root.putArray("task_managers");
        for (ClusterReader.TaskManager taskManager : taskManagers) {
            list.addObject()
                    .put("id", taskManager.id())
                    .put("address", taskManager.address())
                    .put("armed", taskManager.armed())
                    .put("version", part(taskManager.identity(), 0))
                    .put("build", part(taskManager.identity(), 1))
                    .put("drained", Drains.isDrained(taskManager.id()))
                    .put("slots", taskManager.slots())
                    .put("free_slots", taskManager.freeSlots());
        }
        ArrayNode drains = root.putArray("drains");
        Drains.all()
                .forEach(
                        (id, since) ->
                                drains.addObject().put("task_manager", id).put("since", since));
        return root;
    }

    /** Version (0) or build (1) of an identity; null if it has none. */
    private static String part(String identity, int index) {
        String[] parts = identity == null ? new String[0] : identity.split("\\+", 2);
        return index < parts.length ? parts[index] : null;
    }
}
