package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.KeyGroupLoad;
import dev.drrs.runtime.rest.JobRequest.ClusterView;
import java.util.List;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** The list of a job's keyed vertices as the REST port shows it. Main thread. */
final class VerticesJson {

    private VerticesJson() {}

    static String of(ElasticJob job, LoadCollector.Load load, ClusterView cluster) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("job_id", job.id().toString()).put("job_name", job.name());
        boolean elastic = !job.vertices().isEmpty();
        root.put("elastic", elastic)
                .put("reason", elastic ? null : "it has no keyed operator that can be rescaled");
        List<Rescale> open = job.rescales().open();
        root.put("rescale", open.isEmpty() ? null : open.get(0).requestId());
        ArrayNode rescales = root.putArray("rescales");
        open.forEach(rescale -> rescales.add(rescale.requestId()));
        boolean started = job.scheduler() != null;
        root.putObject("slots").put("free", cluster.freeSlots()).put("total", cluster.totalSlots());
        SlotsJson slots = new SlotsJson(job);
        ArrayNode taskManagers = root.putArray("task_managers");
        if (started) {
            slots.addTaskManagers(taskManagers);
        }
        ArrayNode vertices = root.putArray("vertices");
        for (ElasticVertex vertex : job.vertices()) {
            add(vertices.addObject(), job, vertex, load.of(vertex), slots);
            for (FollowerVertex follower : job.followers(vertex)) {
                ObjectNode node = vertices.addObject();
                identity(node, follower);
                group(node, job, vertex);
                unsupported(
                        node,
                        follower.reason(),
                        follower.activeCount(),
                        follower.ceiling(),
                        follower.maxParallelism());
            }
        }
        for (RigidVertex vertex : job.rigid()) {
            ObjectNode node = vertices.addObject();
            identity(
                    node,
                    vertex.id().toString(),
                    vertex.operator().toString(),
                    vertex.uid(),
                    vertex.name());
            node.putArray("group");
            unsupported(
                    node,
                    vertex.reason(),
                    vertex.parallelism(),
                    vertex.parallelism(),
                    vertex.maxParallelism());
        }
        return root.toString();
    }

    private static void identity(
            ObjectNode node, String id, String operator, String uid, String name) {
        node.put("vertex_id", id).put("operator_id", operator).put("uid", uid).put("name", name);
    }

    private static void identity(ObjectNode node, GroupMember vertex) {
        identity(
                node,
                vertex.id().toString(),
                vertex.operator().toString(),
                vertex.uid(),
                vertex.name());
    }

    /** What scales together, the keyed vertex first; nothing for a vertex that scales alone. */
    private static void group(ObjectNode node, ElasticJob job, ElasticVertex leader) {
        ArrayNode group = node.putArray("group");
        List<FollowerVertex> followers = job.followers(leader);
        if (!followers.isEmpty()) {
            group.add(label(leader));
            followers.forEach(follower -> group.add(label(follower)));
        }
    }

    private static String label(GroupMember vertex) {
        return vertex.uid() == null ? vertex.name() : vertex.uid();
    }

    private static void unsupported(
            ObjectNode node, String reason, int parallelism, int ceiling, int maxParallelism) {
        node.put("supported", false).put("reason", reason);
        node.put("parallelism", parallelism)
                .put("ceiling", ceiling)
                .put("max_parallelism", maxParallelism);
        for (String none :
                List.of("warnings", "active", "placement", "subtasks", "dormant", "key_groups")) {
            node.putArray(none);
        }
    }

    private static void add(
            ObjectNode node,
            ElasticJob job,
            ElasticVertex vertex,
            KeyGroupLoad load,
            SlotsJson slots) {
        identity(node, vertex);
        group(node, job, vertex);
        String reason = job.rescales().unsupported(vertex);
        node.put("supported", reason == null).put("reason", reason);
        ArrayNode warnings = node.putArray("warnings");
        vertex.warnings().forEach(warnings::add);
        node.put("parallelism", vertex.activeCount())
                .put("ceiling", vertex.ceiling())
                .put("max_parallelism", vertex.maxParallelism());
        ArrayNode active = node.putArray("active");
        ArrayNode subtasks = node.putArray("subtasks");
        long[][] sums = bySubtask(vertex, load);
        for (int i = 0; i < vertex.ceiling(); i++) {
            if (vertex.isActive(i)) {
                active.add(i);
                subtask(subtasks.addObject(), job, vertex, i, sums[i], slots);
            }
        }
        ArrayNode dormant = node.putArray("dormant");
        if (job.scheduler() != null) {
            slots.addDormant(dormant, vertex);
        }
        ArrayNode placement = node.putArray("placement");
        ArrayNode keyGroups = node.putArray("key_groups");
        for (int g = 0; g < vertex.maxParallelism(); g++) {
            placement.add(vertex.placement()[g]);
            keyGroups
                    .addObject()
                    .put("id", g)
                    .put("records", load.records()[g])
                    .put("entries", load.entries()[g])
                    .put("bytes", load.bytes()[g]);
        }
    }

    private static void subtask(
            ObjectNode node,
            ElasticJob job,
            ElasticVertex vertex,
            int index,
            long[] sums,
            SlotsJson slots) {
        Execution execution =
                DrrsSchedulerAccess.executionGraph(job.scheduler())
                        .getJobVertex(vertex.id())
                        .getTaskVertices()[index]
                        .getCurrentExecutionAttempt();
        slots.addSlots(node.putArray("slots"), vertex, index);
        TaskManagerLocation location = execution.getAssignedResourceLocation();
        node.put("index", index)
                .put("task_manager", location == null ? null : location.getResourceID().toString())
                .put("host", location == null ? null : location.getHostname())
                .put("state", execution.getState().name())
                .put("key_groups", sums[0])
                .put("records", sums[1])
                .put("bytes", sums[2]);
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
