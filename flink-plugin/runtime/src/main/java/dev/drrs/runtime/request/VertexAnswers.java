package dev.drrs.runtime.request;

import dev.drrs.protocol.KeyGroupLoad;
import dev.drrs.runtime.answer.JobVertices;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.FollowerVertex;
import dev.drrs.runtime.job.RigidVertex;
import dev.drrs.runtime.request.JobRequest.ClusterView;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;

/** A job's keyed vertices as REST answers them. One answer each. Main thread. */
final class VertexAnswers {

    private final ElasticJob job;
    private final Rescales rescales;
    private final LoadCollector.Load load;
    private final ClusterView cluster;
    private final SlotAnswers slots;

    VertexAnswers(ElasticJob job, Rescales rescales, LoadCollector.Load load, ClusterView cluster) {
        this.job = job;
        this.rescales = rescales;
        this.load = load;
        this.cluster = cluster;
        this.slots = new SlotAnswers(job, rescales);
    }

    JobVertices all() {
        boolean elastic = !job.vertices().isEmpty();
        List<String> open = rescales.open().stream().map(Rescale::requestId).toList();
        List<JobVertices.Vertex> vertices = new ArrayList<>();
        for (ElasticVertex vertex : job.vertices()) {
            vertices.add(elastic(vertex));
            job.followers(vertex).forEach(follower -> vertices.add(follower(vertex, follower)));
        }
        job.rigid().forEach(vertex -> vertices.add(rigid(vertex)));
        return new JobVertices(
                job.id().toString(),
                job.name(),
                elastic,
                elastic ? null : "it has no keyed operator that can be rescaled",
                open.isEmpty() ? null : open.get(0),
                open,
                new JobVertices.Slots(cluster.freeSlots(), cluster.totalSlots()),
                job.scheduler() == null ? List.of() : slots.taskManagers(),
                vertices);
    }

    private JobVertices.Vertex elastic(ElasticVertex vertex) {
        String reason = rescales.unsupported(vertex);
        KeyGroupLoad keyGroups = load.of(vertex);
        return new JobVertices.Vertex(
                vertex.id().toString(),
                vertex.operator().toString(),
                vertex.uid(),
                vertex.name(),
                group(vertex),
                reason == null,
                reason,
                vertex.warnings(),
                vertex.activeCount(),
                vertex.ceiling(),
                vertex.maxParallelism(),
                IntStream.range(0, vertex.ceiling()).filter(vertex::isActive).boxed().toList(),
                vertex.placement(),
                subtasks(vertex, keyGroups),
                job.scheduler() == null ? List.of() : slots.dormant(vertex),
                IntStream.range(0, vertex.maxParallelism())
                        .mapToObj(
                                id ->
                                        new JobVertices.KeyGroup(
                                                id,
                                                keyGroups.records()[id],
                                                keyGroups.entries()[id],
                                                keyGroups.bytes()[id]))
                        .toList());
    }

    /** What scales together, the keyed vertex first; nothing for a vertex that scales alone. */
    private List<String> group(ElasticVertex leader) {
        List<String> group = new ArrayList<>();
        job.followers(leader).forEach(follower -> group.add(follower.label()));
        if (!group.isEmpty()) {
            group.add(0, leader.label());
        }
        return group;
    }

    private JobVertices.Vertex follower(ElasticVertex leader, FollowerVertex vertex) {
        return unsupported(
                vertex.id().toString(),
                vertex.operator().toString(),
                vertex.uid(),
                vertex.name(),
                group(leader),
                vertex.reason(),
                vertex.activeCount(),
                vertex.ceiling(),
                vertex.maxParallelism());
    }

    private static JobVertices.Vertex rigid(RigidVertex vertex) {
        return unsupported(
                vertex.id().toString(),
                vertex.operator().toString(),
                vertex.uid(),
                vertex.name(),
                List.of(),
                vertex.reason(),
                vertex.parallelism(),
                vertex.parallelism(),
                vertex.maxParallelism());
    }

    private static JobVertices.Vertex unsupported(
            String id,
            String operator,
            String uid,
            String name,
            List<String> group,
            String reason,
            int parallelism,
            int ceiling,
            int maxParallelism) {
        return new JobVertices.Vertex(
                id,
                operator,
                uid,
                name,
                group,
                false,
                reason,
                List.of(),
                parallelism,
                ceiling,
                maxParallelism,
                List.of(),
                new int[0],
                List.of(),
                List.of(),
                List.of());
    }

    private List<JobVertices.Subtask> subtasks(ElasticVertex vertex, KeyGroupLoad keyGroups) {
        long[][] sums = bySubtask(vertex, keyGroups);
        return IntStream.range(0, vertex.ceiling())
                .filter(vertex::isActive)
                .mapToObj(index -> subtask(vertex, index, sums[index]))
                .toList();
    }

    private JobVertices.Subtask subtask(ElasticVertex vertex, int index, long[] sums) {
        Execution execution =
                DrrsSchedulerAccess.executionGraph(job.scheduler())
                        .getJobVertex(vertex.id())
                        .getTaskVertices()[index]
                        .getCurrentExecutionAttempt();
        TaskManagerLocation location = execution.getAssignedResourceLocation();
        return new JobVertices.Subtask(
                index,
                location == null ? null : location.getResourceID().toString(),
                location == null ? null : location.getHostname(),
                execution.getState().name(),
                sums[0],
                sums[1],
                sums[2],
                slots.of(vertex, index));
    }

    /** Key groups, records and bytes of each subtask. */
    private static long[][] bySubtask(ElasticVertex vertex, KeyGroupLoad load) {
        long[][] sums = new long[vertex.ceiling()][3];
        int[] owners = vertex.placement();
        for (int g = 0; g < owners.length; g++) {
            long[] sum = sums[owners[g]];
            sum[0]++;
            sum[1] += load.records()[g];
            sum[2] += load.bytes()[g];
        }
        return sums;
    }
}
