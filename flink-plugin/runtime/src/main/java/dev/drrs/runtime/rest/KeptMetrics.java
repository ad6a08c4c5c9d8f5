package dev.drrs.runtime.rest;

import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.job.RetiredFigures.Counted;
import dev.drrs.runtime.job.RetiredFigures.LastRun;
import dev.drrs.runtime.shown.ShownSubtasks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.messages.webmonitor.JobDetails;
import org.apache.flink.runtime.messages.webmonitor.JobDetails.CurrentAttempts;
import org.apache.flink.runtime.rest.messages.JobVertexBackPressureInfo.SubtaskBackPressureInfo;

/**
 * How long Flink's store of metrics keeps those of a subtask that has retired. REST answers from a
 * copy of the execution graph that may be as old as the web refresh interval, together with the
 * metrics of now: where the copy shows the subtask running and its metrics are gone already, the
 * figures of the vertex would go back for as long. So they are kept until no such copy is left, as
 * those of a subtask that no attempt represents: what lists the subtasks of the store leaves it
 * out.
 *
 * <p>Any thread; nothing here fails a request that Flink would answer.
 */
public final class KeptMetrics {

    /** What a request may take from its copy of the graph to the metrics. */
    private static final long ANSWERING_MILLIS = 1_000;

    /** In place of the attempt that stands for a subtask: it has retired. */
    private static final int RETIRED = -1;

    private static volatile long keptMillis =
            WebOptions.REFRESH_INTERVAL.defaultValue().toMillis() + ANSWERING_MILLIS;

    private KeptMetrics() {}

    /** A REST endpoint starts in this process, with this configuration. */
    static void configure(Configuration configuration) {
        keptMillis = configuration.get(WebOptions.REFRESH_INTERVAL).toMillis() + ANSWERING_MILLIS;
    }

    /** Called from what tells the store of metrics which attempts of a job there are. */
    public static void addTo(JobDetails details, AccessExecutionGraph job) {
        ShownSubtasks.orStock(
                null,
                () -> {
                    for (AccessExecutionJobVertex vertex : job.getVerticesTopologically()) {
                        if (vertex instanceof HookHolder holder
                                && holder.drrsHook() instanceof Counted counted) {
                            add(
                                    details.getCurrentExecutionAttempts()
                                            .computeIfAbsent(
                                                    vertex.getJobVertexId().toString(),
                                                    id -> new HashMap<>()),
                                    counted,
                                    System.currentTimeMillis() - keptMillis);
                        }
                    }
                    return null;
                });
    }

    /**
     * @param attempts by index of the subtask
     * @param since what has retired at this time or later is kept, epoch milliseconds
     */
    static void add(Map<Integer, CurrentAttempts> attempts, Counted counted, long since) {
        counted.last()
                .forEach(
                        (subtask, last) -> {
                            if (last.retired() >= since) {
                                attempts.compute(subtask, (index, now) -> with(now, last));
                            }
                        });
    }

    /**
     * Called from the back pressure of a vertex, which goes by the store of metrics.
     *
     * @param representatives by index of the subtask: the attempt that stands for it; may be null
     */
    public static List<SubtaskBackPressureInfo> withoutRetired(
            List<SubtaskBackPressureInfo> all, Map<Integer, Integer> representatives) {
        if (representatives == null || !representatives.containsValue(RETIRED)) {
            return all;
        }
        List<SubtaskBackPressureInfo> active = new ArrayList<>(all);
        active.removeIf(subtask -> isRetired(subtask, representatives));
        // Flink takes the maximum over them: there has to be one.
        return active.isEmpty() ? all : active;
    }

    private static boolean isRetired(
            SubtaskBackPressureInfo subtask, Map<Integer, Integer> representatives) {
        Integer attempt = representatives.get(subtask.getSubtask());
        return attempt != null && attempt == RETIRED;
    }

    private static CurrentAttempts with(CurrentAttempts now, LastRun last) {
        if (now == null) {
            return new CurrentAttempts(RETIRED, Set.of(last.attempt()), true);
        }
        Set<Integer> all = new HashSet<>(now.getCurrentAttempts());
        all.add(last.attempt());
        return new CurrentAttempts(now.getRepresentativeAttempt(), all, now.isTerminalState());
    }
}
