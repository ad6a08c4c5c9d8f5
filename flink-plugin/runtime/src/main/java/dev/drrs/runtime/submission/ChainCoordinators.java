package dev.drrs.runtime.submission;

import dev.drrs.runtime.job.VertexCoordinator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.util.SerializedValue;

/** The operators of a vertex that have a coordinator in the JobMaster. */
final class ChainCoordinators {

    private final ClassLoader loader;

    ChainCoordinators(ClassLoader loader) {
        this.loader = loader;
    }

    /** Their names, the plug-in's own coordinator left out. */
    List<String> of(JobVertex vertex) {
        List<String> names = new ArrayList<>();
        for (SerializedValue<OperatorCoordinator.Provider> each :
                vertex.getOperatorCoordinators()) {
            OperatorCoordinator.Provider provider = read(each);
            if (!(provider instanceof VertexCoordinator.Provider)) {
                names.add(nameOf(vertex, provider.getOperatorId()));
            }
        }
        return names;
    }

    private OperatorCoordinator.Provider read(
            SerializedValue<OperatorCoordinator.Provider> provider) {
        try {
            return provider.deserializeValue(loader);
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException("a coordinator of the job cannot be made", e);
        }
    }

    private String nameOf(JobVertex vertex, OperatorID id) {
        StreamConfig head = new StreamConfig(vertex.getConfiguration());
        for (StreamConfig operator :
                head.getTransitiveChainedTaskConfigsWithSelf(loader).values()) {
            if (operator.getOperatorID().equals(id)) {
                return operator.getOperatorName();
            }
        }
        for (OperatorIDPair pair : vertex.getOperatorIDs()) {
            if (pair.getGeneratedOperatorID().equals(id)
                    && pair.getUserDefinedOperatorName() != null) {
                return pair.getUserDefinedOperatorName();
            }
        }
        return id.toString();
    }
}
