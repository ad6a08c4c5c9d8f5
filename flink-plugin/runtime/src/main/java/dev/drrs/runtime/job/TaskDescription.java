package dev.drrs.runtime.job;

import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.ElasticTaskInfo;
import dev.drrs.runtime.ElasticTaskInfo.ElasticSelf;
import dev.drrs.runtime.ElasticTaskInfo.InEdge;
import dev.drrs.runtime.ElasticTaskInfo.OutEdge;
import dev.drrs.runtime.functions.Reopen;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.deployment.ResultPartitionDeploymentDescriptor;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.IntermediateResult;
import org.apache.flink.runtime.executiongraph.TaskInformation;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.util.SerializedValue;

/**
 * Composes what a task is told about the active subtasks around it at the moment of its deployment.
 * Main thread only.
 */
public final class TaskDescription {

    private static final String HASH = "HASH";

    private TaskDescription() {}

    /**
     * The vertex's task information with the plug-in's entry added.
     *
     * @param running whether the task joins a job that runs already
     * @return null if neither the vertex nor a neighbour of it is elastic: then Flink's own is
     *     right
     */
    static SerializedValue<TaskInformation> of(
            ElasticJob job, ExecutionJobVertex vertex, boolean running) throws IOException {
        JobVertex jobVertex = vertex.getJobVertex();
        GroupMember self = job.member(vertex.getJobVertexId());
        List<OutEdge> outputs = outputs(job, jobVertex, self);
        List<InEdge> inputs = inputs(job, vertex, self, running);
        if (self == null && outputs.isEmpty() && inputs.isEmpty()) {
            return null;
        }
        ElasticSelf about =
                self == null
                        ? null
                        : new ElasticSelf(
                                self.id().toString(),
                                self.operator().toString(),
                                self.ceiling(),
                                self.maxParallelism(),
                                self != self.leader(),
                                self.active());
        Configuration configuration = new Configuration(jobVertex.getConfiguration());
        configuration.set(
                ElasticTaskInfo.ENTRY,
                new ElasticTaskInfo(running, about, outputs, inputs, settings(job, self)).encode());
        return new SerializedValue<>(
                new TaskInformation(
                        vertex.getJobVertexId(),
                        jobVertex.getName(),
                        vertex.getParallelism(),
                        vertex.getMaxParallelism(),
                        jobVertex.getInvokableClassName(),
                        configuration));
    }

    /**
     * Says with each result partition of a deployment how many of its subpartitions are open, where
     * some are not: its TaskManager gives buffers to those.
     */
    public static void countOpenSubpartitions(
            ElasticJob job,
            ExecutionJobVertex vertex,
            List<ResultPartitionDeploymentDescriptor> partitions) {
        GroupMember self = job.member(vertex.getJobVertexId());
        for (OutEdge edge : outputs(job, vertex.getJobVertex(), self)) {
            int open = 0;
            for (boolean active : edge.activeConsumers()) {
                open += active ? 1 : 0;
            }
            for (ResultPartitionDeploymentDescriptor partition : partitions) {
                if (partition.getResultId().toString().equals(edge.dataSetId())
                        && open < edge.activeConsumers().length) {
                    ((HookHolder) (Object) partition).drrsHook(open);
                }
            }
        }
    }

    /** The job's, with what they mean for this vertex where that is not the same for all. */
    private static Map<String, String> settings(ElasticJob job, GroupMember self) {
        Map<String, String> settings = new HashMap<>(job.settings());
        boolean reopens = self instanceof ElasticVertex vertex && vertex.reopens();
        settings.put(DrrsOptions.REOPEN.key(), reopens ? Reopen.ON_RETURN : Reopen.NEVER);
        return settings;
    }

    private static List<OutEdge> outputs(ElasticJob job, JobVertex vertex, GroupMember self) {
        List<OutEdge> outputs = new ArrayList<>();
        for (IntermediateDataSet dataSet : vertex.getProducedDataSets()) {
            for (JobEdge edge : dataSet.getConsumers()) {
                GroupMember consumer = job.member(edge.getTarget().getID());
                if (consumer == null && self == null) {
                    continue;
                }
                boolean keyed = HASH.equals(edge.getShipStrategyName());
                boolean[] active =
                        isOneToOne(edge)
                                ? all(1)
                                : consumer == null
                                        ? all(edge.getTarget().getParallelism())
                                        : consumer.active();
                outputs.add(
                        new OutEdge(
                                dataSet.getId().toString(),
                                edge.getTarget().getID().toString(),
                                keyed,
                                consumer != null && keyed ? consumer.leader().placement() : null,
                                active));
            }
        }
        return outputs;
    }

    private static List<InEdge> inputs(
            ElasticJob job, ExecutionJobVertex vertex, GroupMember self, boolean running) {
        List<InEdge> inputs = new ArrayList<>();
        List<IntermediateResult> results = vertex.getInputs();
        for (int gate = 0; gate < results.size(); gate++) {
            ExecutionJobVertex producer = results.get(gate).getProducer();
            GroupMember elastic = job.member(producer.getJobVertexId());
            if (elastic != null || self != null) {
                boolean[] active =
                        isOneToOne(vertex.getJobVertex().getInputs().get(gate))
                                ? all(1)
                                : elastic == null
                                        ? all(producer.getParallelism())
                                        : elastic.active();
                inputs.add(
                        new InEdge(
                                gate,
                                producer.getJobVertexId().toString(),
                                active,
                                running ? ended(job, producer, active) : new boolean[0]));
            }
        }
        return inputs;
    }

    private static boolean[] ended(ElasticJob job, ExecutionJobVertex producer, boolean[] active) {
        boolean[] ended = new boolean[active.length];
        if (active.length == producer.getParallelism()) { // else the one channel within a group
            for (int i = 0; i < ended.length; i++) {
                ended[i] = job.hasEnded(producer.getTaskVertices()[i].getCurrentExecutionAttempt());
            }
        }
        return ended;
    }

    /** Within a group: the one channel is there whenever one of its ends is. */
    private static boolean isOneToOne(JobEdge edge) {
        return edge.getDistributionPattern() == DistributionPattern.POINTWISE;
    }

    private static boolean[] all(int count) {
        boolean[] flags = new boolean[count];
        Arrays.fill(flags, true);
        return flags;
    }
}
