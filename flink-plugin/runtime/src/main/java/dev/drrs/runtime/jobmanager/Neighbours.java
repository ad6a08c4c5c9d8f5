package dev.drrs.runtime.jobmanager;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertexID;

/**
 * The running subtasks of an elastic vertex and of the vertices before and behind it. Main thread.
 */
final class Neighbours {

    private final ElasticJob job;
    private final ElasticVertex vertex;
    private final ExecutionGraph graph;

    /** An input of the vertex: a data set and the subtasks that write it. */
    record Input(String dataSetId, List<Execution> predecessors) {}

    Neighbours(ElasticJob job, ElasticVertex vertex, ExecutionGraph graph) {
        this.job = job;
        this.vertex = vertex;
        this.graph = graph;
    }

    ExecutionVertex subtask(int index) {
        return graph.getJobVertex(vertex.id()).getTaskVertices()[index];
    }

    Execution execution(int index) {
        return subtask(index).getCurrentExecutionAttempt();
    }

    List<Input> inputs() {
        List<Input> inputs = new ArrayList<>();
        for (JobEdge edge : graph.getJobVertex(vertex.id()).getJobVertex().getInputs()) {
            inputs.add(
                    new Input(
                            edge.getSourceId().toString(),
                            awake(edge.getSource().getProducer().getID())));
        }
        return inputs;
    }

    /** Every predecessor once, also one that writes several inputs. */
    List<Execution> predecessors() {
        return inputs().stream()
                .flatMap(input -> input.predecessors().stream())
                .distinct()
                .toList();
    }

    List<Execution> consumers() {
        List<Execution> consumers = new ArrayList<>();
        for (IntermediateDataSet dataSet :
                graph.getJobVertex(vertex.id()).getJobVertex().getProducedDataSets()) {
            for (JobEdge edge : dataSet.getConsumers()) {
                consumers.addAll(awake(edge.getTarget().getID()));
            }
        }
        return consumers;
    }

    /** The active subtasks of the vertex itself. */
    List<Execution> active() {
        return awake(vertex.id());
    }

    /** Which task around the vertex does not run, as a sentence; null if all do. */
    String notRunning() {
        for (List<Execution> tasks : List.of(predecessors(), active(), consumers())) {
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
            ElasticVertex elastic = job.vertex(id);
            if (elastic == null || elastic.isActive(subtask.getParallelSubtaskIndex())) {
                awake.add(subtask.getCurrentExecutionAttempt());
            }
        }
        return awake;
    }
}
