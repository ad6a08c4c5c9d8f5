package dev.drrs.runtime.request;

import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.answer.JobAnswer;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;

/**
 * What the REST port asks a JobMaster's part of the plug-in; answered by a {@link JobAnswer}.
 *
 * @param verb what to do
 * @param requestId the rescale meant; for {@link Verb#RESCALE} the caller's own id or a fresh one;
 *     null for {@link Verb#VERTICES} and {@link Verb#HISTORY}
 * @param body of {@link Verb#RESCALE}; null otherwise
 * @param faults of the body's form, to be answered with all others
 * @param cluster what the JobMaster cannot know about the cluster, as of the request
 */
public record JobRequest(
        Verb verb,
        String requestId,
        RescaleRequest body,
        List<Faults.Fault> faults,
        ClusterView cluster)
        implements CoordinationRequest {

    public JobRequest {
        faults = List.copyOf(faults);
    }

    /** The uid under which such requests are delivered: no job's operator can be reached by it. */
    public static final String COORDINATOR_UID = "drrs";

    /** What the caller wants. */
    public enum Verb {
        VERTICES,
        RESCALE,
        STATUS,
        HISTORY,
        ABORT
    }

    /**
     * The cluster as the REST port sees it. A picture of a moment: a slot counted free may be taken
     * when it is needed.
     *
     * @param freeSlots slots that no job holds, -1 if unknown
     * @param totalSlots slots of all registered TaskManagers, -1 if unknown
     * @param taskManagersWithoutPlugin ids of those that certainly are not armed, or not with the
     *     JobManager's plug-in, with what they have instead; one whose metrics have not arrived yet
     *     is not listed
     * @param heldSlots how many slots jobs hold, by the resource id of the TaskManager
     * @param elasticCluster true if the ResourceManager starts TaskManagers by itself (native
     *     Kubernetes, YARN): then too few free slots are no fault
     */
    public record ClusterView(
            int freeSlots,
            int totalSlots,
            List<String> taskManagersWithoutPlugin,
            Map<String, Integer> heldSlots,
            boolean elasticCluster)
            implements Serializable {

        public ClusterView {
            taskManagersWithoutPlugin = List.copyOf(taskManagersWithoutPlugin);
            heldSlots = Map.copyOf(heldSlots);
        }

        /** Of a request that needs no look at the cluster. */
        public static ClusterView unknown() {
            return new ClusterView(-1, -1, List.of(), Map.of(), false);
        }
    }
}
