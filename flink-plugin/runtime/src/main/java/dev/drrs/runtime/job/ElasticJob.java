package dev.drrs.runtime.job;

import dev.drrs.runtime.section.CheckpointTurns;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RpcOptions;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.InternalExecutionGraphAccessor;
import org.apache.flink.runtime.executiongraph.TaskInformation;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.runtime.scheduler.DefaultScheduler;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.util.SerializedValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One elastic job in its JobMaster: its vertices and what the join points ask about them.
 *
 * <p>Everything in the JobMaster's main thread, except construction and where a method says
 * otherwise.
 */
public final class ElasticJob {

    private static final Logger LOG = LoggerFactory.getLogger(ElasticJob.class);

    private final JobID id;
    private final String name;
    private final Configuration configuration;
    private final Map<JobVertexID, ElasticVertex> vertices;
    private final Map<JobVertexID, GroupMember> members = new LinkedHashMap<>();
    private final Map<JobVertexID, RigidVertex> rigid;
    private final Map<String, String> settings;
    private final boolean unaligned;
    private final CheckpointTurns gate = new CheckpointTurns();
    private final Set<ExecutionVertexID> activating = ConcurrentHashMap.newKeySet();
    private final Set<ExecutionVertexID> retiring = ConcurrentHashMap.newKeySet();
    private final RetiredState retired = new RetiredState();
    private final RetiredFigures figures = new RetiredFigures();

    /** Tasks that have said the end of their data, as far as a rescale has heard of it. */
    private final Set<ExecutionAttemptID> ended = new HashSet<>();

    private final JobRescales rescales;

    private DefaultScheduler scheduler;
    private boolean failedInChange;

    /**
     * @param rescales made last, with the job as it is then
     */
    public ElasticJob(
            JobGraph graph,
            Configuration configuration,
            Map<JobVertexID, ElasticVertex> vertices,
            List<FollowerVertex> followers,
            Map<JobVertexID, RigidVertex> rigid,
            Function<ElasticJob, JobRescales> rescales) {
        this.id = graph.getJobID();
        this.name = graph.getName();
        this.configuration = configuration;
        this.vertices = vertices;
        members.putAll(vertices);
        followers.forEach(follower -> members.put(follower.id(), follower));
        this.rigid = rigid;
        JobCheckpointingSettings checkpointing = graph.getCheckpointingSettings();
        this.unaligned =
                checkpointing != null
                        && checkpointing
                                .getCheckpointCoordinatorConfiguration()
                                .isUnalignedCheckpointsEnabled();
        this.settings = new HashMap<>();
        configuration
                .toMap()
                .forEach(
                        (key, value) -> {
                            if (key.startsWith("drrs.")) {
                                settings.put(key, value);
                            }
                        });
        this.rescales = rescales.apply(this);
        vertices.values().stream()
                .flatMap(vertex -> vertex.warnings().stream())
                .distinct()
                .forEach(LOG::warn);
    }

    public JobID id() {
        return id;
    }

    public String name() {
        return name;
    }

    public Configuration configuration() {
        return configuration;
    }

    /** Whether barriers of checkpoints may overtake elements. */
    public boolean hasUnalignedCheckpoints() {
        return unaligned;
    }

    public Map<String, String> settings() {
        return settings;
    }

    /** The keyed elastic vertex of this id, or null. Any thread. */
    public ElasticVertex vertex(JobVertexID vertex) {
        return vertices.get(vertex);
    }

    /** The vertex of this id if its subtasks may be dormant, or null. Any thread. */
    public GroupMember member(JobVertexID vertex) {
        return members.get(vertex);
    }

    /** All vertices whose subtasks may be dormant. Any thread. */
    public Collection<GroupMember> members() {
        return members.values();
    }

    /** Those that scale together with this one, each behind all it reads from. Any thread. */
    public List<FollowerVertex> followers(ElasticVertex leader) {
        List<FollowerVertex> followers = new ArrayList<>();
        for (GroupMember member : members.values()) {
            if (member instanceof FollowerVertex follower && follower.leader() == leader) {
                followers.add(follower);
            }
        }
        return followers;
    }

    /** Those that can be rescaled. */
    public Collection<ElasticVertex> vertices() {
        return vertices.values();
    }

    public Collection<RigidVertex> rigid() {
        return rigid.values();
    }

    /** What excludes checkpoints and sections from each other. */
    public CheckpointTurns gate() {
        return gate;
    }

    /** What retired subtasks have left. */
    public RetiredState retired() {
        return retired;
    }

    /** What retired subtasks have counted. */
    public RetiredFigures figures() {
        return figures;
    }

    /** Who is told what happens in the job. */
    public JobRescales rescales() {
        return rescales;
    }

    public DefaultScheduler scheduler() {
        return scheduler;
    }

    public ComponentMainThreadExecutor mainThread() {
        return DrrsSchedulerAccess.mainThread(scheduler);
    }

    /** For what may wait for a disk. */
    public Executor ioExecutor() {
        return ((InternalExecutionGraphAccessor) DrrsSchedulerAccess.executionGraph(scheduler))
                .getFutureExecutor();
    }

    public Duration rpcTimeout() {
        return configuration.get(RpcOptions.ASK_TIMEOUT_DURATION);
    }

    public String describe() {
        List<String> parts = new ArrayList<>();
        for (ElasticVertex vertex : vertices.values()) {
            parts.add(
                    vertex.name()
                            + " ("
                            + vertex.activeCount()
                            + " of "
                            + vertex.ceiling()
                            + " subtasks active)");
        }
        return String.join(", ", parts);
    }

    /** Whether the subtask is neither active nor being activated. Any thread. */
    public boolean isDormant(ExecutionVertexID subtask) {
        GroupMember vertex = members.get(subtask.getJobVertexId());
        return vertex != null
                && !vertex.isActive(subtask.getSubtaskIndex())
                && !activating.contains(subtask);
    }

    /** Whether the subtask is one that a user of Flink has to see: it runs, or ought to. */
    public boolean isShown(ExecutionVertexID subtask) {
        return !isDormant(subtask) || retiring.contains(subtask);
    }

    /** How many subtasks of the vertex a user of Flink sees, as its parallelism. */
    public int shownCount(GroupMember vertex) {
        int count = 0;
        for (int subtask = 0; subtask < vertex.ceiling(); subtask++) {
            count += isShown(new ExecutionVertexID(vertex.id(), subtask)) ? 1 : 0;
        }
        return count;
    }

    /** Of the subtasks that Flink is about to deploy, those that are not dormant. */
    public List<ExecutionVertexID> toDeploy(
            DefaultScheduler from, List<ExecutionVertexID> subtasks) {
        if (scheduler != from) {
            scheduler = from;
            rescales.started();
        }
        List<ExecutionVertexID> wanted = new ArrayList<>(subtasks.size());
        for (ExecutionVertexID subtask : subtasks) {
            if (!isDormant(subtask)) {
                wanted.add(subtask);
            }
        }
        return wanted;
    }

    /** The task has said the end of its data. */
    public void ended(ExecutionAttemptID task) {
        ended.add(task);
    }

    /** Whether a task that is deployed now gets nothing from this one. */
    boolean hasEnded(Execution task) {
        return task.getState() == ExecutionState.FINISHED || ended.contains(task.getAttemptId());
    }

    public void activating(ExecutionVertexID subtask) {
        activating.add(subtask);
    }

    public void notActivating(ExecutionVertexID subtask) {
        activating.remove(subtask);
    }

    public void retiring(ExecutionVertexID subtask) {
        retiring.add(subtask);
    }

    public void notRetiring(ExecutionVertexID subtask) {
        retiring.remove(subtask);
    }

    public boolean isRetiring(ExecutionVertexID subtask) {
        return retiring.contains(subtask);
    }

    /** A task has failed. */
    public void failed(ExecutionVertexID task) {
        failedInChange = activating.contains(task) || retiring.contains(task);
    }

    /**
     * Whether the task whose failure is being dealt with was activated or retired just then. To be
     * asked once for each failure: one of the job as a whole is that of no task.
     */
    boolean takeFailedInChange() {
        boolean inChange = failedInChange;
        failedInChange = false;
        return inChange;
    }

    /** Whether Flink's checkpoint de-activator must not hear of this attempt's states. */
    public boolean isQuiet(ExecutionAttemptID attempt) {
        ExecutionVertexID subtask = attempt.getExecutionVertexId();
        return activating.contains(subtask) || retiring.contains(subtask) || isDormant(subtask);
    }

    /** The description that a task of this job is deployed with; null if Flink's own is right. */
    public SerializedValue<TaskInformation> describe(Execution execution) throws IOException {
        ExecutionVertex vertex = execution.getVertex();
        return TaskDescription.of(this, vertex.getJobVertex(), activating.contains(vertex.getID()));
    }

    /**
     * A failover, a restore or the like took hold of the vertex: its rescale is over. One of
     * another vertex goes on unless the failover takes hold of that one, too. What piled up behind
     * one that is complete is gone as well.
     */
    void interrupted(ElasticVertex vertex, String reason) {
        rescales.interrupted(vertex, reason);
        gate.calm();
    }

    /** No subtask of the vertex, or of one that follows it, is activated or retired any more. */
    public void forgetChanges(ElasticVertex vertex) {
        activating.removeIf(subtask -> members.get(subtask.getJobVertexId()).leader() == vertex);
        retiring.removeIf(subtask -> members.get(subtask.getJobVertexId()).leader() == vertex);
    }

    /** The scheduler ends. */
    public void close() {
        rescales.closed();
        ElasticJobs.remove(this);
    }
}
