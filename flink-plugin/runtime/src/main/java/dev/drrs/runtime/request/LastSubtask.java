package dev.drrs.runtime.request;

import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.Neighbours;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;

/**
 * Requests by which one more subtask of each vertex comes to work, with the one key group that
 * makes it an owner. Main thread.
 */
final class LastSubtask {

    private LastSubtask() {}

    /** One for each dormant subtask; those first that share a slot which the job holds. */
    static List<RescaleRequest.Operator> candidates(ElasticJob job, ElasticVertex vertex) {
        Neighbours neighbours = new Neighbours(job, vertex);
        return IntStream.range(0, vertex.ceiling())
                .filter(subtask -> !vertex.isActive(subtask))
                .boxed()
                .sorted(Comparator.comparing(subtask -> slots(job, neighbours, subtask)))
                .map(subtask -> wish(vertex, subtask))
                .toList();
    }

    private static int slots(ElasticJob job, Neighbours neighbours, int subtask) {
        return DrrsSchedulerAccess.slotsNeeded(
                job.scheduler(),
                neighbours.groupSubtasks(subtask).stream().map(ExecutionVertex::getID).toList());
    }

    private static RescaleRequest.Operator wish(ElasticVertex vertex, int subtask) {
        int[] placement = vertex.placement().clone();
        int keyGroup = spare(placement, vertex.ceiling());
        int from = placement[keyGroup];
        placement[keyGroup] = subtask;
        return new RescaleRequest.Operator(
                vertex.id().toString(),
                vertex.activeCount() + 1,
                placement,
                List.of(new RescaleRequest.Subscale(from, subtask, new int[] {keyGroup})));
    }

    static JobRequest request(
            List<RescaleRequest.Operator> operators, String requestId, String cause) {
        RescaleRequest body =
                new RescaleRequest(operators, null, requestId, cause, false, Map.of());
        return new JobRequest(
                JobRequest.Verb.RESCALE,
                requestId,
                body,
                List.of(),
                JobRequest.ClusterView.unknown());
    }

    /** A key group of the subtask that has most of them: never its only one if there is another. */
    static int spare(int[] placement, int ceiling) {
        int[] counts = new int[ceiling];
        int most = 0;
        for (int keyGroup = 0; keyGroup < placement.length; keyGroup++) {
            counts[placement[keyGroup]]++;
            if (counts[placement[keyGroup]] > counts[placement[most]]) {
                most = keyGroup;
            }
        }
        return most;
    }
}
