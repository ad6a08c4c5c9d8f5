package org.apache.flink.runtime.scheduler;

import dev.drrs.flink.Handles;
import dev.drrs.flink.SchedulerMembers;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobmaster.LogicalSlot;
import org.apache.flink.runtime.jobmaster.slotpool.PhysicalSlot;
import org.apache.flink.runtime.jobmaster.slotpool.PhysicalSlotProviderImpl;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPool;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPoolService;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;
import org.apache.flink.util.FlinkException;

/**
 * The plug-in's way to members of the scheduler that only this package sees. All calls in the
 * JobMaster's main thread.
 */
public final class DrrsSchedulerAccess {

    private static final VarHandle SHARING_STRATEGY =
            Handles.field(SchedulerMembers.SHARING_STRATEGY);
    private static final VarHandle SHARED_SLOTS = Handles.field(SchedulerMembers.SHARED_SLOTS);
    private static final VarHandle SLOT_PROVIDER = Handles.field(SchedulerMembers.SLOT_PROVIDER);
    private static final VarHandle SLOT_POOL = Handles.field(SchedulerMembers.SLOT_POOL);

    private DrrsSchedulerAccess() {}

    public static ExecutionGraph executionGraph(DefaultScheduler scheduler) {
        return scheduler.getExecutionGraph();
    }

    public static JobGraph jobGraph(SchedulerBase scheduler) {
        return scheduler.getJobGraph();
    }

    public static MetricGroup jobMetrics(DefaultScheduler scheduler) {
        return scheduler.jobManagerJobMetricGroup;
    }

    public static ComponentMainThreadExecutor mainThread(DefaultScheduler scheduler) {
        return scheduler.getMainThreadExecutor();
    }

    /**
     * Asks for slots without touching the executions; the futures fail or time out without
     * consequence for the job.
     */
    public static Map<ExecutionAttemptID, CompletableFuture<LogicalSlot>> requestSlots(
            DefaultScheduler scheduler, List<ExecutionAttemptID> attempts) {
        Map<ExecutionAttemptID, CompletableFuture<LogicalSlot>> slots = new HashMap<>();
        scheduler
                .executionSlotAllocator
                .allocateSlotsFor(attempts)
                .forEach(
                        (attempt, assignment) ->
                                slots.put(attempt, assignment.getLogicalSlotFuture()));
        return slots;
    }

    /**
     * How many slots the job would have to get for these subtasks: groups that have one already
     * need none, and slots of retired subtasks that have not gone back yet are taken first.
     */
    public static int slotsNeeded(DefaultScheduler scheduler, List<ExecutionVertexID> subtasks) {
        if (!(scheduler.executionSlotAllocator
                instanceof SlotSharingExecutionSlotAllocator allocator)) {
            return subtasks.size();
        }
        SlotSharingStrategy strategy = (SlotSharingStrategy) SHARING_STRATEGY.get(allocator);
        Map<?, ?> held = (Map<?, ?>) SHARED_SLOTS.get(allocator);
        Set<ExecutionSlotSharingGroup> missing = new HashSet<>();
        for (ExecutionVertexID subtask : subtasks) {
            ExecutionSlotSharingGroup group = strategy.getExecutionSlotSharingGroup(subtask);
            if (!held.containsKey(group)) {
                missing.add(group);
            }
        }
        int unused = unusedSlots(scheduler).values().stream().mapToInt(Integer::intValue).sum();
        return Math.max(0, missing.size() - unused);
    }

    /**
     * What a subtask shares its slot with, as an object that is the same for all of them; the
     * subtask's own id where slots are not shared.
     */
    public static Object slotGroup(DefaultScheduler scheduler, ExecutionVertexID subtask) {
        return scheduler.executionSlotAllocator instanceof SlotSharingExecutionSlotAllocator shared
                ? ((SlotSharingStrategy) SHARING_STRATEGY.get(shared))
                        .getExecutionSlotSharingGroup(subtask)
                : subtask;
    }

    /**
     * Where the slot is that this subtask would be given because others of its group are in it;
     * null if it would get a new one.
     */
    public static TaskManagerLocation slotOf(
            DefaultScheduler scheduler, ExecutionVertexID subtask) {
        if (!(scheduler.executionSlotAllocator
                instanceof SlotSharingExecutionSlotAllocator allocator)) {
            return null;
        }
        SharedSlot held =
                (SharedSlot)
                        ((Map<?, ?>) SHARED_SLOTS.get(allocator))
                                .get(slotGroup(scheduler, subtask));
        PhysicalSlot slot = held == null ? null : held.getSlotContextFuture().getNow(null);
        return slot == null ? null : slot.getTaskManagerLocation();
    }

    /** How many slots the job has and does not use, by the resource id of their TaskManager. */
    public static Map<String, Integer> unusedSlots(DefaultScheduler scheduler) {
        Map<String, Integer> unused = new HashMap<>();
        slotPool(scheduler)
                .ifPresent(
                        pool ->
                                pool.getFreeSlotTracker()
                                        .getFreeSlotsInformation()
                                        .forEach(
                                                slot ->
                                                        unused.merge(
                                                                slot.getTaskManagerLocation()
                                                                        .getResourceID()
                                                                        .getResourceIdString(),
                                                                1,
                                                                Integer::sum)));
        return unused;
    }

    /**
     * Gives the slots that the job has there and does not use back to the cluster at once; Flink
     * does so after {@code slot.idle.timeout}.
     */
    public static void releaseUnusedSlots(
            DefaultScheduler scheduler, ResourceID taskManager, String why) {
        slotPool(scheduler)
                .filter(SlotPoolService.class::isInstance)
                .map(SlotPoolService.class::cast)
                .ifPresent(
                        pool ->
                                pool.releaseFreeSlotsOnTaskManager(
                                        taskManager, new FlinkException(why)));
    }

    private static Optional<SlotPool> slotPool(DefaultScheduler scheduler) {
        return scheduler.executionSlotAllocator instanceof SlotSharingExecutionSlotAllocator shared
                        && SLOT_PROVIDER.get(shared) instanceof PhysicalSlotProviderImpl provider
                ? Optional.of((SlotPool) SLOT_POOL.get(provider))
                : Optional.empty();
    }

    public static void cancelSlotRequest(DefaultScheduler scheduler, ExecutionAttemptID attempt) {
        scheduler.executionSlotAllocator.cancel(attempt);
    }

    public static void deploy(DefaultScheduler scheduler, List<ExecutionVertexID> vertices) {
        scheduler.allocateSlotsAndDeploy(vertices);
    }

    /**
     * The parallelism store of a job, with one vertex at another parallelism and at its own max
     * parallelism.
     */
    public static void setParallelism(
            VertexParallelismStore store, JobVertexID vertex, int parallelism, int maxParallelism) {
        VertexParallelismInformation before = store.getParallelismInfo(vertex);
        ((DefaultVertexParallelismStore) store)
                .setParallelismInfo(
                        vertex,
                        new DefaultVertexParallelismInfo(
                                parallelism, maxParallelism, max -> rescalable(before, max)));
    }

    private static Optional<String> rescalable(
            VertexParallelismInformation before, int maxParallelism) {
        return before.canRescaleMaxParallelism(maxParallelism)
                ? Optional.empty()
                : Optional.of("Cannot override a configured max parallelism.");
    }
}
