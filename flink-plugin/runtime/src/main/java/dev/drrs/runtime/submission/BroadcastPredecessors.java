package dev.drrs.runtime.submission;

import java.util.HashSet;
import java.util.Set;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;

/**
 * A broadcast input stands still while key groups move, so that its predecessors, and all that
 * feeds them, may come to wait for network buffers and then hear nothing. None of those may be a
 * predecessor on a keyed input: it has to answer meanwhile.
 */
final class BroadcastPredecessors {

    private BroadcastPredecessors() {}

    /** Which vertex is both, as a sentence; null if there is none. */
    static String fault(JobVertex vertex) {
        for (JobEdge broadcast : vertex.getInputs()) {
            if (!broadcast.isBroadcast()) {
                continue;
            }
            JobVertex producer = broadcast.getSource().getProducer();
            Set<JobVertexID> feeding = new HashSet<>();
            addWithAncestors(producer, feeding);
            for (JobEdge keyed : vertex.getInputs()) {
                JobVertex other = keyed.getSource().getProducer();
                if (!keyed.isBroadcast() && feeding.contains(other.getID())) {
                    return "its keyed input comes from "
                            + other.getName()
                            + ", which also feeds the broadcast input from "
                            + producer.getName()
                            + ": that one stands still while key groups move, and could stop both;"
                            + " read the source a second time for it, or put a rebalance() before"
                            + " the keyed input";
                }
            }
        }
        return null;
    }

    private static void addWithAncestors(JobVertex vertex, Set<JobVertexID> found) {
        if (found.add(vertex.getID())) {
            for (JobEdge edge : vertex.getInputs()) {
                addWithAncestors(edge.getSource().getProducer(), found);
            }
        }
    }
}
