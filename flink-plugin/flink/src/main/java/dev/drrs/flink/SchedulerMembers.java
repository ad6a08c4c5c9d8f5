package dev.drrs.flink;

/** Members of the scheduler and the slots of a job. */
public final class SchedulerMembers {

    private static final String SCHEDULER = "org.apache.flink.runtime.scheduler.";
    private static final String SLOTS = "org.apache.flink.runtime.jobmaster.slotpool.";
    private static final String DEPLOYMENT = "org.apache.flink.runtime.deployment.";

    private static final String ALLOCATOR = SCHEDULER + "SlotSharingExecutionSlotAllocator";
    public static final Member SHARING_STRATEGY =
            Member.of(
                    ALLOCATOR,
                    "slotSharingStrategy",
                    "Lorg/apache/flink/runtime/scheduler/SlotSharingStrategy;");
    public static final Member SHARED_SLOTS =
            Member.of(ALLOCATOR, "sharedSlots", "Ljava/util/Map;");
    public static final Member SLOT_PROVIDER =
            Member.of(
                    ALLOCATOR,
                    "slotProvider",
                    "Lorg/apache/flink/runtime/jobmaster/slotpool/PhysicalSlotProvider;");
    private static final String PROVIDER = SLOTS + "PhysicalSlotProviderImpl";
    public static final Member SLOT_POOL =
            Member.of(
                    PROVIDER, "slotPool", "Lorg/apache/flink/runtime/jobmaster/slotpool/SlotPool;");
    private static final String DEFAULT = SCHEDULER + "DefaultScheduler";
    public static final Member SLOT_ALLOCATOR =
            Member.of(
                    DEFAULT,
                    "executionSlotAllocator",
                    "Lorg/apache/flink/runtime/scheduler/ExecutionSlotAllocator;");
    private static final String BASE = SCHEDULER + "SchedulerBase";
    public static final Member JOB_GRAPH =
            Member.of(BASE, "getJobGraph", "()Lorg/apache/flink/runtime/jobgraph/JobGraph;");
    public static final Member MAIN_THREAD =
            Member.of(
                    BASE,
                    "getMainThreadExecutor",
                    "()Lorg/apache/flink/runtime/concurrent/ComponentMainThreadExecutor;");
    public static final Member JOB_METRICS =
            Member.of(
                    BASE,
                    "jobManagerJobMetricGroup",
                    "Lorg/apache/flink/runtime/metrics/groups/JobManagerJobMetricGroup;");
    private static final String ASSIGNMENT = SCHEDULER + "ExecutionSlotAssignment";
    public static final Member LOGICAL_SLOT =
            Member.of(
                    ASSIGNMENT,
                    "getLogicalSlotFuture",
                    "()Ljava/util/concurrent/CompletableFuture;");
    private static final String SHARED = SCHEDULER + "SharedSlot";
    public static final Member SLOT_CONTEXT =
            Member.of(SHARED, "getSlotContextFuture", "()Ljava/util/concurrent/CompletableFuture;");
    private static final String LISTENER = SCHEDULER + "VertexEndOfDataListener";
    public static final Member END_OF_DATA_GRAPH =
            Member.of(
                    LISTENER,
                    "executionGraph",
                    "Lorg/apache/flink/runtime/executiongraph/ExecutionGraph;");
    public static final Member END_OF_DATA_SUBTASKS =
            Member.of(LISTENER, "tasksReachedEndOfData", "Ljava/util/Map;");
    private static final String DESCRIPTOR = DEPLOYMENT + "TaskDeploymentDescriptor";
    public static final Member TASK_INFORMATION =
            Member.of(
                    DESCRIPTOR,
                    "serializedTaskInformation",
                    "Lorg/apache/flink/runtime/deployment/TaskDeploymentDescriptor$MaybeOffloaded;");

    private SchedulerMembers() {}
}
