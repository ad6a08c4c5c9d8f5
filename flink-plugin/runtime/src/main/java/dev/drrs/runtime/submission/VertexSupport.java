package dev.drrs.runtime.submission;

import dev.drrs.runtime.supported.StateBackends;
import dev.drrs.runtime.unstablekeys.KeyFault;
import dev.drrs.runtime.unstablekeys.UnstableHash;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.graph.NonChainedOutput;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamConfig.InputConfig;
import org.apache.flink.streaming.api.graph.StreamConfig.NetworkInputConfig;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.runtime.operators.TimestampsAndWatermarksOperatorFactory;
import org.apache.flink.streaming.runtime.partitioner.BroadcastPartitioner;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.streaming.runtime.tasks.MultipleInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.TwoInputStreamTask;

/**
 * Tells which vertices of a job can be elastic, and of the others why not, before anything is
 * touched.
 */
final class VertexSupport {

    static final Set<String> RUNS =
            Set.of(
                    OneInputStreamTask.class.getName(),
                    TwoInputStreamTask.class.getName(),
                    MultipleInputStreamTask.class.getName());

    static final String ASSIGNS_WATERMARKS =
            "assigns timestamps and watermarks, and does not pass on the event time that a rescale"
                    + " holds back while key groups move";

    /** That of the DataStream API, and that of the Table API, which need not be there. */
    private static final Set<String> WATERMARK_ASSIGNERS =
            Set.of(
                    TimestampsAndWatermarksOperatorFactory.class.getName(),
                    "org.apache.flink.table.runtime.operators.wmassigners.WatermarkAssignerOperatorFactory");

    private final ReadableConfig configuration;
    private final ClassLoader loader;
    private final ChainFaults operators;

    VertexSupport(ReadableConfig configuration, ClassLoader loader) {
        this.configuration = configuration;
        this.loader = loader;
        this.operators = new ChainFaults(configuration, loader);
    }

    /**
     * Whether the operator at the head of the chain is keyed: only such vertices are spoken of at
     * all.
     */
    boolean isKeyed(JobVertex vertex) {
        StreamConfig head = new StreamConfig(vertex.getConfiguration());
        return !vertex.getInputs().isEmpty()
                && IntStream.range(0, head.getInputs(loader).length)
                        .anyMatch(input -> keySelector(head, input) != null);
    }

    /** The keyed operator of a task whose head is not keyed, or null: no source is one. */
    OperatorID keyedBehindTheHead(JobVertex vertex) {
        return vertex.getInputs().isEmpty()
                ? null
                : operatorsBehind(new StreamConfig(vertex.getConfiguration()))
                        .filter(operator -> keySelector(operator, 0) != null)
                        .map(StreamConfig::getOperatorID)
                        .findFirst()
                        .orElse(null);
    }

    /** Why that one cannot be rescaled, to be read after what names it. */
    String notAtTheHead(JobVertex vertex) {
        StreamConfig head = new StreamConfig(vertex.getConfiguration());
        return "it is chained behind "
                + head.getOperatorName()
                + ", through which no record can be re-routed to another subtask; the keyed operator has to"
                + " be the first one of its task";
    }

    /**
     * Why the keyed vertex cannot be elastic, as one sentence; null if it can. What stands behind
     * it is {@link ForwardGroup}'s business.
     */
    String fault(JobVertex vertex) {
        StreamConfig head = new StreamConfig(vertex.getConfiguration());
        String backend = configuration.get(StateBackendOptions.STATE_BACKEND);
        if (!StateBackends.ALL.has(backend)) {
            return "its state backend is "
                    + backend
                    + "; so far state moves from the "
                    + StateBackends.ALL.types()
                    + " backend only";
        }
        if (configuration.get(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG)) {
            return "it uses the changelog state backend; set state.changelog.enabled to false";
        }
        if (configuration.get(CheckpointingOptions.ENABLE_UNALIGNED_INTERRUPTIBLE_TIMERS)) {
            return "it uses interruptible timers; set execution.checkpointing.unaligned.interruptible-timers.enabled to false";
        }
        if (!head.getWatermarkDeclarations(loader).isEmpty()) {
            return "its job declares watermarks of DataStream V2, which Flink combines for a fixed"
                    + " number of channels";
        }
        String key = keyFault(head);
        if (key != null) {
            return key;
        }
        String input = inputFault(vertex, head);
        if (input != null) {
            return input;
        }
        String chained = keyedInChain(head);
        if (chained != null) {
            return "operator "
                    + chained
                    + " further down its chain is keyed as well; disable chaining between them";
        }
        String assigner = watermarksInChain(head);
        if (assigner != null) {
            return "operator "
                    + assigner
                    + " further down its chain "
                    + ASSIGNS_WATERMARKS
                    + "; assign them before the keyed operator, or give "
                    + assigner
                    + " a rebalance()";
        }
        return operators.ofKeyed(vertex);
    }

    /** What cannot be there of the operators of a task that follows a keyed one, or null. */
    String followerFault(JobVertex vertex) {
        return operators.ofFollower(vertex);
    }

    private String keyFault(StreamConfig head) {
        TypeSerializer<?> keys = head.getStateKeySerializer(loader);
        String unstable = keys == null ? null : UnstableHash.inType(keys);
        return unstable == null ? null : KeyFault.of(KeyFault.classOf(keys), unstable);
    }

    private String inputFault(JobVertex vertex, StreamConfig head) {
        InputConfig[] inputs = head.getInputs(loader);
        if (!RUNS.contains(vertex.getInvokableClassName())) {
            return "it is run by " + vertex.getInvokableClassName() + ", which is not supported";
        }
        for (int i = 0; i < inputs.length; i++) {
            if (!(inputs[i] instanceof NetworkInputConfig)) {
                return "its input "
                        + (i + 1)
                        + " is a source in the same chain, and the position of a source cannot be"
                        + " divided; give that source a chain of its own (disableChaining)";
            }
        }
        for (JobEdge edge : vertex.getInputs()) {
            String producer = edge.getSource().getProducer().getName();
            StreamPartitioner<?> partitioner = partitioner(edge);
            if (!(partitioner instanceof KeyGroupStreamPartitioner)
                    && !(partitioner instanceof BroadcastPartitioner)) {
                return "its input from "
                        + producer
                        + " is not partitioned by key ("
                        + edge.getShipStrategyName()
                        + ")";
            }
        }
        for (StreamEdge edge : head.getInPhysicalEdges(loader)) {
            int input = Math.max(0, edge.getTypeNumber() - 1);
            boolean broadcast = edge.getPartitioner() instanceof BroadcastPartitioner;
            if (broadcast == (keySelector(head, input) != null)) {
                return "its input "
                        + (input + 1)
                        + (broadcast ? " is broadcast and keyed" : " has no key selector");
            }
        }
        String stopped = BroadcastPredecessors.fault(vertex);
        if (stopped != null) {
            return stopped;
        }
        StreamOperatorFactory<?> factory = head.getStreamOperatorFactory(loader);
        if (InputSelectable.class.isAssignableFrom(factory.getStreamOperatorClass(loader))) {
            return "it selects the input it reads (InputSelectable), and could wait for one that"
                    + " a rescale holds";
        }
        return null;
    }

    /** What chooses the channel of a record on this edge. */
    StreamPartitioner<?> partitioner(JobEdge edge) {
        StreamConfig producer = new StreamConfig(edge.getSource().getProducer().getConfiguration());
        for (NonChainedOutput output : producer.getVertexNonChainedOutputs(loader)) {
            if (output.getDataSetId().equals(edge.getSourceId())) {
                return output.getPartitioner();
            }
        }
        return null;
    }

    /** Name of a keyed operator further down the chain, or null. */
    String keyedInChain(StreamConfig head) {
        return firstInChain(head, operator -> keySelector(operator, 0) != null);
    }

    /**
     * Name of an operator further down the chain that assigns watermarks, or null. Of those before
     * it, it passes on the last watermark only, and no status.
     */
    String watermarksInChain(StreamConfig head) {
        return firstInChain(head, this::assignsWatermarks);
    }

    private String firstInChain(StreamConfig head, Predicate<StreamConfig> wanted) {
        return operatorsBehind(head)
                .filter(wanted)
                .map(StreamConfig::getOperatorName)
                .findFirst()
                .orElse(null);
    }

    private Stream<StreamConfig> operatorsBehind(StreamConfig head) {
        return head.getTransitiveChainedTaskConfigs(loader).values().stream();
    }

    boolean assignsWatermarks(StreamConfig operator) {
        return WATERMARK_ASSIGNERS.contains(
                operator.getStreamOperatorFactoryClass(loader).getName());
    }

    private Object keySelector(StreamConfig config, int input) {
        return config.getStatePartitioner(input, loader);
    }
}
