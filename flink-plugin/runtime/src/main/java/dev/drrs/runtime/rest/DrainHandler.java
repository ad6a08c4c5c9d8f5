package dev.drrs.runtime.rest;

import dev.drrs.runtime.answer.DrainState;
import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.answer.JobAnswer;
import dev.drrs.runtime.drain.Drains;
import dev.drrs.runtime.request.RequestJson;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;

/**
 * Says that nothing new may be placed on a TaskManager, or that it may be again. What runs there
 * stays: moving it is up to rescales.
 */
@ChannelHandler.Sharable
final class DrainHandler extends JsonHandler {

    /** Name of the parameter in the path of an undrain. */
    static final String TASK_MANAGER = "taskmanagerid";

    static final String FIELD = "task_manager";

    private final boolean drains;
    private final ClusterReader cluster;

    /**
     * @param drains true to drain the TaskManager of the body, false to undrain that of the path
     */
    DrainHandler(
            boolean drains,
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Map<String, String> responseHeaders,
            long maxBody,
            ClusterReader cluster) {
        super(leaderRetriever, responseHeaders, maxBody);
        this.drains = drains;
        this.cluster = cluster;
    }

    @Override
    CompletableFuture<JobAnswer> answer(Call call) {
        Faults faults = new Faults();
        String id = drains ? named(call.body(), faults) : call.path().get(TASK_MANAGER);
        if (!faults.isEmpty()) {
            return CompletableFuture.completedFuture(faults.toAnswer());
        }
        if (!Drains.areHonoured()) {
            // A standby: drains are kept where the ResourceManager and the JobMasters are.
            return CompletableFuture.failedFuture(new NoLeaderException("ResourceManager"));
        }
        return cluster.taskManagers()
                .thenApplyAsync( // drains are written to storage
                        taskManagers ->
                                drains ? drain(id, taskManagers) : undrain(id, taskManagers));
    }

    private static String named(byte[] body, Faults faults) {
        String text = RequestJson.text(body, faults);
        JsonNode root = text == null ? null : RequestJson.object(text, faults);
        if (root == null) {
            return null;
        }
        root.fieldNames()
                .forEachRemaining(
                        field -> {
                            if (!Set.of(FIELD).contains(field)) {
                                faults.add(
                                        FaultCode.MALFORMED_REQUEST,
                                        "Unknown field \"" + field + "\"; known is " + FIELD + ".");
                            }
                        });
        JsonNode id = root.path(FIELD);
        if (!id.isTextual() || id.textValue().isBlank()) {
            faults.add(
                    FaultCode.MALFORMED_REQUEST,
                    "\"" + FIELD + "\" must be the resource id of a TaskManager, as a text.");
            return null;
        }
        return id.textValue();
    }

    private static JobAnswer drain(String id, List<ClusterReader.TaskManager> taskManagers) {
        if (!isRegistered(id, taskManagers)) {
            return unknown(id, taskManagers);
        }
        boolean fresh = Drains.add(id);
        return JobAnswer.ok(new DrainState(id, true, !fresh));
    }

    private static JobAnswer undrain(String id, List<ClusterReader.TaskManager> taskManagers) {
        if (Drains.remove(id)) {
            return JobAnswer.ok(new DrainState(id, false, true));
        }
        if (!isRegistered(id, taskManagers)) {
            return unknown(id, taskManagers);
        }
        Set<String> drained = Drains.all().keySet();
        return Faults.answer(
                FaultCode.NOT_DRAINED,
                "TaskManager "
                        + id
                        + " is not drained; "
                        + (drained.isEmpty() ? "none is." : "drained: " + list(drained) + "."));
    }

    private static boolean isRegistered(String id, List<ClusterReader.TaskManager> taskManagers) {
        return taskManagers.stream().anyMatch(taskManager -> taskManager.id().equals(id));
    }

    private static JobAnswer unknown(String id, List<ClusterReader.TaskManager> taskManagers) {
        return Faults.answer(
                FaultCode.UNKNOWN_TASK_MANAGER,
                "No TaskManager "
                        + id
                        + " is registered; there "
                        + (taskManagers.isEmpty()
                                ? "is none."
                                : "is "
                                        + list(
                                                taskManagers.stream()
                                                        .map(ClusterReader.TaskManager::id)
                                                        .collect(Collectors.toSet()))
                                        + "."));
    }

    private static String list(Set<String> ids) {
        return ids.stream().sorted().collect(Collectors.joining(", "));
    }
}
