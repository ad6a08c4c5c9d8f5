package dev.drrs.flink;

/** Members of the checkpoint coordinator and what it makes. */
public final class CheckpointMembers {

    private static final String CHECKPOINT = "org.apache.flink.runtime.checkpoint.";

    private static final String COORDINATOR = CHECKPOINT + "CheckpointCoordinator";
    public static final Member IO_EXECUTOR =
            Member.of(COORDINATOR, "executor", "Ljava/util/concurrent/Executor;");
    public static final Member COORDINATOR_LOCK =
            Member.of(COORDINATOR, "lock", "Ljava/lang/Object;");
    public static final Member ABORT_PENDING =
            Member.of(
                    COORDINATOR,
                    "abortPendingCheckpoint",
                    "(Lorg/apache/flink/runtime/checkpoint/PendingCheckpoint;Lorg/apache/flink/runtime/checkpoint/CheckpointException;)V");
    public static final Member SCHEDULE_TRIGGER =
            Member.of(COORDINATOR, "scheduleTriggerRequest", "()V");
    public static final Member COORDINATOR_JOB =
            Member.of(COORDINATOR, "job", "Lorg/apache/flink/api/common/JobID;");
    public static final Member REQUEST_DECIDER =
            Member.of(
                    COORDINATOR,
                    "requestDecider",
                    "Lorg/apache/flink/runtime/checkpoint/CheckpointRequestDecider;");
    public static final Member STATS_TRACKER =
            Member.of(
                    COORDINATOR,
                    "statsTracker",
                    "Lorg/apache/flink/runtime/checkpoint/CheckpointStatsTracker;");
    private static final String REQUEST =
            CHECKPOINT + "CheckpointCoordinator$CheckpointTriggerRequest";
    public static final Member FAIL_REQUEST =
            Member.of(
                    REQUEST,
                    "completeExceptionally",
                    "(Lorg/apache/flink/runtime/checkpoint/CheckpointException;)V");
    public static final Member IS_PERIODIC = Member.of(REQUEST, "isPeriodic", "Z");
    public static final Member REQUESTED =
            Member.of(
                    REQUEST, "props", "Lorg/apache/flink/runtime/checkpoint/CheckpointProperties;");
    private static final String DECIDER = CHECKPOINT + "CheckpointRequestDecider";
    public static final Member QUEUED_REQUESTS =
            Member.of(DECIDER, "queuedRequests", "Ljava/util/NavigableSet;");
    public static final Member PENDING_SIZE =
            Member.of(
                    DECIDER, "pendingCheckpointsSizeSupplier", "Ljava/util/function/IntSupplier;");
    private static final String PLAN = CHECKPOINT + "DefaultCheckpointPlan";
    public static final Member NEW_PLAN =
            Member.of(
                    PLAN,
                    "<init>",
                    "(Ljava/util/List;Ljava/util/List;Ljava/util/List;Ljava/util/List;Ljava/util/List;Z)V");
    private static final String CALCULATOR = CHECKPOINT + "DefaultCheckpointPlanCalculator";
    public static final Member CALCULATOR_JOB =
            Member.of(CALCULATOR, "jobId", "Lorg/apache/flink/api/common/JobID;");
    public static final Member AFTER_TASKS_FINISHED =
            Member.of(CALCULATOR, "allowCheckpointsAfterTasksFinished", "Z");
    private static final String PENDING = CHECKPOINT + "PendingCheckpoint";
    public static final Member PENDING_JOB =
            Member.of(PENDING, "jobId", "Lorg/apache/flink/api/common/JobID;");
    public static final Member PENDING_STATES =
            Member.of(PENDING, "operatorStates", "Ljava/util/Map;");
    private static final String SUBTASK_STATS = CHECKPOINT + "SubtaskStateStats";
    public static final Member NEW_SUBTASK_STATS =
            Member.of(SUBTASK_STATS, "<init>", "(IJJJJJJJJJZZ)V");
    private static final String ASSIGN = CHECKPOINT + "StateAssignmentOperation";
    public static final Member ASSIGNED_TASKS = Member.of(ASSIGN, "tasks", "Ljava/util/Set;");
    public static final Member ASSIGNED_STATES =
            Member.of(ASSIGN, "operatorStates", "Ljava/util/Map;");
    private static final String ASSIGNMENT = CHECKPOINT + "TaskStateAssignment";
    public static final Member ASSIGNED_VERTEX =
            Member.of(
                    ASSIGNMENT,
                    "executionJobVertex",
                    "Lorg/apache/flink/runtime/executiongraph/ExecutionJobVertex;");
    public static final Member OLD_STATE = Member.of(ASSIGNMENT, "oldState", "Ljava/util/Map;");
    public static final Member MANAGED_STATE =
            Member.of(ASSIGNMENT, "subManagedOperatorState", "Ljava/util/Map;");
    public static final Member RAW_STATE =
            Member.of(ASSIGNMENT, "subRawOperatorState", "Ljava/util/Map;");
    public static final Member HAS_INPUT_STATE = Member.of(ASSIGNMENT, "hasInputState", "()Z");
    public static final Member HAS_OUTPUT_STATE = Member.of(ASSIGNMENT, "hasOutputState", "()Z");
    public static final Member HAS_UPSTREAM_STATE =
            Member.of(ASSIGNMENT, "hasUpstreamOutputStates", "()Z");
    public static final Member HAS_DOWNSTREAM_STATE =
            Member.of(ASSIGNMENT, "hasDownstreamInputStates", "()Z");

    private CheckpointMembers() {}
}
