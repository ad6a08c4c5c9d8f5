package dev.drrs.runtime.job;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;

/**
 * The running subtasks of an elastic vertex and of the vertices before and behind it. Followers of
 * the vertex count with it: who consumes what they send is a consumer. Main thread.
 */
public final class Neighbours {

    private final ElasticJob job;
    private final ElasticVertex vertex;
    private final ExecutionGraph graph;

    /** The vertex itself, then its followers, each behind all it reads from. */
    private final List<GroupMember> group = new ArrayList<>();

    /**
     * An input of the vertex: a data set and the subtasks that write it.
     *
     * @param predecessors those that have not ended
     * @param broadcast whether each subtask gets all of it; else it is partitioned by key
     */
    public record Input(String dataSetId, List<Execution> predecessors, boolean broadcast) {}

    /**
     * A task behind the group and the input gate through which it reads from one of its members.
     */
    public record Consumer(Execution task, IntermediateDataSetID dataSet, int gate) {

        public Channel channel(int index) {
            return new Channel(task.getAttemptId(), gate, index);
        }
    }

    /** An input channel of a consumer. */
    public record Channel(ExecutionAttemptID consumer, int gate, int index) {}

    public Neighbours(ElasticJob job, ElasticVertex vertex) {
        this.job = job;
        this.vertex = vertex;
        this.graph = DrrsSchedulerAccess.executionGraph(job.scheduler());
        group.add(vertex);
        group.addAll(job.followers(vertex));
    }

    /** This subtask of each member of the group, in the order of the data. */
    public List<ExecutionVertex> groupSubtasks(int index) {
        return group.stream()
                .map(member -> graph.getJobVertex(member.id()).getTaskVertices()[index])
                .toList();
    }

    /** The active subtasks of all members of the group. */
    public List<Execution> groupActive() {
        return group.stream().flatMap(member -> awake(member.id()).stream()).toList();
    }

    /** Another subtask of the group's vertex that the task is of. */
    public Execution sameMember(Execution task, int index) {
        return graph.getJobVertex(task.getVertex().getJobvertexId())
                .getTaskVertices()[index]
                .getCurrentExecutionAttempt();
    }

    public boolean isInGroup(JobVertexID id) {
        GroupMember member = job.member(id);
        return member != null && member.leader() == vertex;
    }

    public ExecutionVertex subtask(int index) {
        return graph.getJobVertex(vertex.id()).getTaskVertices()[index];
    }

    public Execution execution(int index) {
        return subtask(index).getCurrentExecutionAttempt();
    }

    public List<Input> inputs() {
        List<Input> inputs = new ArrayList<>();
        for (JobEdge edge : graph.getJobVertex(vertex.id()).getJobVertex().getInputs()) {
            List<Execution> all = awake(edge.getSource().getProducer().getID());
            inputs.add(
                    new Input(
                            edge.getSourceId().toString(),
                            all.stream().filter(p -> !job.hasEnded(p)).toList(),
                            edge.isBroadcast()));
        }
        return inputs;
    }

    /**
     * Hex ids of the data sets of some inputs, by predecessor that has not ended.
     *
     * @param broadcast whether those of the broadcast inputs, else of the keyed ones
     */
    public Map<Execution, List<String>> dataSets(boolean broadcast) {
        Map<Execution, List<String>> dataSets = new HashMap<>();
        for (Input input : inputs()) {
            if (input.broadcast() == broadcast) {
                for (Execution predecessor : input.predecessors()) {
                    dataSets.computeIfAbsent(predecessor, any -> new ArrayList<>())
                            .add(input.dataSetId());
                }
            }
        }
        return dataSets;
    }

    /** Every predecessor that has not ended, once, also one that writes several inputs. */
    public List<Execution> predecessors() {
        return inputs().stream()
                .flatMap(input -> input.predecessors().stream())
                .distinct()
                .toList();
    }

    /** Those outside of the group, a task that reads through several gates once for each. */
    public List<Consumer> consumers() {
        List<Consumer> consumers = new ArrayList<>();
        for (GroupMember member : group) {
            for (IntermediateDataSet dataSet :
                    graph.getJobVertex(member.id()).getJobVertex().getProducedDataSets()) {
                for (JobEdge edge : dataSet.getConsumers()) {
                    if (!isInGroup(edge.getTarget().getID())) {
                        int gate = edge.getTarget().getInputs().indexOf(edge);
                        for (Execution task : awake(edge.getTarget().getID())) {
                            consumers.add(new Consumer(task, dataSet.getId(), gate));
                        }
                    }
                }
            }
        }
        return consumers;
    }

    /** How many active subtasks a subtask of the group sends to on this edge. */
    public int receivers(JobEdge edge) {
        return isOneToOne(edge) ? 1 : awake(edge.getTarget().getID()).size();
    }

    /** The active subtasks that a subtask of the group reads from on this edge. */
    public List<ExecutionVertex> senders(JobEdge edge, int subtask) {
        JobVertexID source = edge.getSource().getProducer().getID();
        return isOneToOne(edge)
                ? List.of(graph.getJobVertex(source).getTaskVertices()[subtask])
                : awake(source).stream().map(Execution::getVertex).toList();
    }

    private static boolean isOneToOne(JobEdge edge) {
        return edge.getDistributionPattern() == DistributionPattern.POINTWISE;
    }

    /** The active subtasks of the vertex itself. */
    public List<Execution> active() {
        return awake(vertex.id());
    }

    /**
     * Which task around the vertex does not run, as a sentence; null if all do. Predecessors that
     * have ended need not, as long as others go on.
     */
    public String notRunning() {
        if (predecessors().isEmpty()) {
            return "all inputs of the operator have ended, the job is about to finish";
        }
        List<Execution> behind = consumers().stream().map(Consumer::task).toList();
        for (List<Execution> tasks : List.of(predecessors(), groupActive(), behind)) {
            for (Execution task : tasks) {
                if (task.getState() != ExecutionState.RUNNING) {
                    return "task "
                            + task.getVertexWithAttempt()
                            + " is "
                            + task.getState()
                            + ", a rescale needs it RUNNING";
                }
            }
        }
        return null;
    }

    private List<Execution> awake(JobVertexID id) {
        List<Execution> awake = new ArrayList<>();
        ExecutionJobVertex jobVertex = graph.getJobVertex(id);
        for (ExecutionVertex subtask : jobVertex.getTaskVertices()) {
            GroupMember elastic = job.member(id);
            if (elastic == null || elastic.isActive(subtask.getParallelSubtaskIndex())) {
                awake.add(subtask.getCurrentExecutionAttempt());
            }
        }
        return awake;
    }
}
