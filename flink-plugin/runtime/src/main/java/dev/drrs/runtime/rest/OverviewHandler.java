package dev.drrs.runtime.rest;

import dev.drrs.runtime.AgentState;
import dev.drrs.runtime.answer.JobAnswer;
import dev.drrs.runtime.answer.Overview;
import dev.drrs.runtime.drain.Drains;
import dev.drrs.runtime.rehearsal.Rehearsals;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
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
                .thenApply(taskManagers -> JobAnswer.ok(describe(taskManagers)));
    }

    private Overview describe(List<ClusterReader.TaskManager> taskManagers) {
        return new Overview(
                AgentState.version(),
                AgentState.build(),
                EnvironmentInformation.getVersion(),
                AgentState.isArmed(),
                AgentState.reason(),
                Rehearsals.OF_COORDINATOR.status(),
                AgentState.points().stream()
                        .map(
                                point ->
                                        new Overview.JoinPoint(
                                                point.name(), point.target(), point.ok()))
                        .toList(),
                taskManagers.stream().map(OverviewHandler::describe).toList(),
                Drains.all().entrySet().stream()
                        .map(drain -> new Overview.Drain(drain.getKey(), drain.getValue()))
                        .toList(),
                cluster.isElastic());
    }

    private static Overview.TaskManager describe(ClusterReader.TaskManager taskManager) {
        return new Overview.TaskManager(
                taskManager.id(),
                taskManager.address(),
                taskManager.armed(),
                part(taskManager.identity(), 0),
                part(taskManager.identity(), 1),
                taskManager.rehearsal(),
                Drains.isDrained(taskManager.id()),
                taskManager.slots(),
                taskManager.freeSlots());
    }

    /** Version (0) or build (1) of an identity; null if it has none. */
    private static String part(String identity, int index) {
        String[] parts = identity == null ? new String[0] : identity.split("\\+", 2);
        return index < parts.length ? parts[index] : null;
    }
}
