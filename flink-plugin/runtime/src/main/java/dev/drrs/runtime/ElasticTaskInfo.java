package dev.drrs.runtime;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;

/**
 * What a task of an elastic job is told when it is deployed: which subtasks around it are active.
 * The JobMaster puts it into the task's configuration at each deployment; a task without it belongs
 * to a job that is not elastic.
 *
 * <p>A picture of the moment of deployment: what changes later comes as operator events. The arrays
 * are never changed after construction, by anyone.
 *
 * @param activatedAtRunTime true if the task was deployed into a running job (not at its start and
 *     not by a failover)
 * @param self this task's own vertex, null if it is not elastic
 * @param outputs one entry per result partition whose consumer or own vertex is elastic
 * @param inputs one entry per input gate whose producer vertex is elastic
 * @param settings the plug-in's options in force for this job, by name
 */
public record ElasticTaskInfo(
        boolean activatedAtRunTime,
        ElasticSelf self,
        List<OutEdge> outputs,
        List<InEdge> inputs,
        Map<String, String> settings)
        implements Serializable {

    /** The key of the entry in the task's configuration. */
    public static final ConfigOption<String> ENTRY =
            ConfigOptions.key("drrs.task").stringType().noDefaultValue();

    /**
     * Makes the collections unmodifiable; the copies made by {@code List.of} and {@code Map.of} are
     * serializable.
     */
    public ElasticTaskInfo {
        outputs = List.copyOf(outputs);
        inputs = List.copyOf(inputs);
        settings = Map.copyOf(settings);
    }

    /**
     * The elastic vertex that a task belongs to.
     *
     * @param vertexId hex of the JobVertexID
     * @param operatorId hex of the OperatorID of the operator at the head of the chain
     * @param ceiling number of subtasks, dormant ones counted
     * @param maxParallelism number of key groups
     * @param follower whether it scales together with a keyed vertex before it, and is not keyed
     * @param active by subtask index, {@code ceiling} entries
     */
    public record ElasticSelf(
            String vertexId,
            String operatorId,
            int ceiling,
            int maxParallelism,
            boolean follower,
            boolean[] active)
            implements Serializable {

        /** Number of active subtasks at deployment. */
        public int activeCount() {
            return count(active);
        }
    }

    /**
     * A result partition of the task.
     *
     * @param dataSetId hex of the IntermediateDataSetID
     * @param consumerVertexId hex of the consumer's JobVertexID
     * @param keyed whether records are routed by key group
     * @param placement key group to consumer subtask; null unless the consumer is elastic and the
     *     edge keyed
     * @param activeConsumers by subpartition
     */
    public record OutEdge(
            String dataSetId,
            String consumerVertexId,
            boolean keyed,
            int[] placement,
            boolean[] activeConsumers)
            implements Serializable {}

    /**
     * An input gate of the task.
     *
     * @param gateIndex index among the task's input gates
     * @param producerVertexId hex of the producer's JobVertexID
     * @param activeProducers by channel of the gate
     * @param endedProducers by channel of the gate, those that send nothing any more; empty if
     *     there is none
     */
    public record InEdge(
            int gateIndex,
            String producerVertexId,
            boolean[] activeProducers,
            boolean[] endedProducers)
            implements Serializable {}

    /** As text, for the configuration. */
    public String encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(this);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /**
     * What {@link #encode()} made, from a task's configuration.
     *
     * @return null if there is none: the job is not elastic
     * @throws IllegalStateException if the entry was made by another version of the plug-in
     */
    public static ElasticTaskInfo decode(Configuration taskConfiguration) {
        String text = taskConfiguration.get(ENTRY);
        if (text == null) {
            return null;
        }
        byte[] bytes = Base64.getDecoder().decode(text);
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (ElasticTaskInfo) in.readObject();
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException(
                    "the JobManager's plug-in sent a task description that this TaskManager's plug-in cannot read:"
                            + " are both of the same version?",
                    e);
        }
    }

    private static int count(boolean[] flags) {
        int n = 0;
        for (boolean flag : flags) {
            n += flag ? 1 : 0;
        }
        return n;
    }
}
