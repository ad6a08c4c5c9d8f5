package dev.drrs.runtime.request;

import dev.drrs.protocol.KeyGroupLoad;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.TaskMessenger;
import dev.drrs.runtime.message.LoadReport;
import dev.drrs.runtime.message.ReportLoad;
import dev.drrs.runtime.message.RoutedRecords;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/** Asks the tasks around elastic vertices for records and state per key group. Main thread. */
final class LoadCollector {

    /**
     * A busy task answers between two records; one that does not answer in this time is left out.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** By vertex. */
    static final class Load {
        private final Map<String, KeyGroupLoad> vertices = new HashMap<>();

        KeyGroupLoad of(ElasticVertex vertex) {
            return vertices.computeIfAbsent(
                    vertex.id().toString(), id -> KeyGroupLoad.unknown(vertex.maxParallelism()));
        }
    }

    private static final class Inquiry {
        final Load load = new Load();
        final Set<ExecutionAttemptID> missing = new HashSet<>();
        final CompletableFuture<Load> answer = new CompletableFuture<>();
    }

    private final ElasticJob job;
    private final Map<Long, Inquiry> open = new HashMap<>();
    private long last;

    LoadCollector(ElasticJob job) {
        this.job = job;
    }

    CompletableFuture<Load> collect() {
        Inquiry inquiry = new Inquiry();
        if (job.scheduler() == null) {
            return CompletableFuture.completedFuture(inquiry.load);
        }
        long number = ++last;
        Set<Execution> tasks = new HashSet<>();
        for (ElasticVertex vertex : job.vertices()) {
            Neighbours neighbours = new Neighbours(job, vertex);
            tasks.addAll(neighbours.active());
            tasks.addAll(neighbours.predecessors());
        }
        tasks.removeIf(task -> task.getState() != ExecutionState.RUNNING);
        tasks.forEach(task -> inquiry.missing.add(task.getAttemptId()));
        open.put(number, inquiry);
        // A task that is gone meanwhile is left out like one that does not answer.
        TaskMessenger messenger =
                new TaskMessenger(job, (task, failure) -> answered(number, task.getAttemptId()));
        tasks.forEach(task -> messenger.send(task, new ReportLoad(number)));
        if (tasks.isEmpty()) {
            finish(number);
        } else {
            job.mainThread()
                    .schedule(() -> finish(number), PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        }
        return inquiry.answer;
    }

    void add(Execution task, LoadReport report) {
        Inquiry inquiry = open.get(report.request());
        if (inquiry == null) {
            return;
        }
        for (RoutedRecords routed : report.routed()) {
            job.vertices().stream()
                    .filter(vertex -> vertex.id().toString().equals(routed.consumerVertexId()))
                    .forEach(vertex -> sum(inquiry.load.of(vertex).records(), routed.records()));
        }
        ElasticVertex own = job.vertex(task.getVertex().getJobvertexId());
        if (own != null && report.entries() != null) {
            sum(inquiry.load.of(own).entries(), report.entries());
            sum(inquiry.load.of(own).bytes(), report.bytes());
        }
        answered(report.request(), task.getAttemptId());
    }

    private static void sum(long[] total, long[] part) {
        for (int i = 0; i < Math.min(total.length, part.length); i++) {
            total[i] += part[i];
        }
    }

    private void answered(long number, ExecutionAttemptID task) {
        Inquiry inquiry = open.get(number);
        if (inquiry != null && inquiry.missing.remove(task) && inquiry.missing.isEmpty()) {
            finish(number);
        }
    }

    private void finish(long number) {
        Inquiry inquiry = open.remove(number);
        if (inquiry != null) {
            inquiry.answer.complete(inquiry.load);
        }
    }

    void interrupted() {
        open.values().forEach(inquiry -> inquiry.answer.complete(inquiry.load));
        open.clear();
    }
}
