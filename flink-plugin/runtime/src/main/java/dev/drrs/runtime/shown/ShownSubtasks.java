package dev.drrs.runtime.shown;

import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticJobs;
import java.util.Arrays;
import java.util.function.Supplier;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionVertex;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which subtasks Flink's REST and web UI get to see. They read a copy of the execution graph that
 * is made on request and when the job ends; dormant subtasks are left out of it, as subtasks that a
 * vertex does not have. So whatever lists, counts or aggregates subtasks, or waits for what each of
 * them reports, does so for those that run. Where subtasks are looked up by their index the place
 * in the copy is not the index any more: see {@link dev.drrs.runtime.rest.ShownFigures}.
 *
 * <p>Main thread.
 */
public final class ShownSubtasks {

    private static final Logger LOG = LoggerFactory.getLogger(ShownSubtasks.class);

    private ShownSubtasks() {}

    /**
     * Called from the copy of a vertex: the subtasks it shows. What retired ones have counted is
     * attached to the copy.
     *
     * @param all by index
     */
    public static ArchivedExecutionVertex[] of(
            Object copy, ExecutionJobVertex vertex, ArchivedExecutionVertex[] all) {
        return orStock(
                all,
                () -> {
                    ElasticJob job = ElasticJobs.get(vertex.getJobId());
                    if (job == null || job.member(vertex.getJobVertexId()) == null) {
                        return all;
                    }
                    ((HookHolder) copy).drrsHook(job.figures().counted(vertex.getJobVertexId()));
                    return Arrays.stream(all)
                            .filter(
                                    subtask ->
                                            job.isShown(
                                                    vertex
                                                            .getTaskVertices()[
                                                            subtask.getParallelSubtaskIndex()]
                                                            .getID()))
                            .toArray(ArchivedExecutionVertex[]::new);
                });
    }

    /** Called from the copy of a vertex: its parallelism is the number of subtasks it shows. */
    public static int parallelism(
            ExecutionJobVertex vertex, ArchivedExecutionVertex[] shown, int stock) {
        boolean whole = shown.length == vertex.getTaskVertices().length;
        return whole ? stock : shown.length;
    }

    /**
     * What only shows things must not fail a job: where that goes wrong Flink's own value is shown.
     * Any thread.
     */
    public static <T> T orStock(T stock, Supplier<T> ours) {
        try {
            return ours.get();
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("An elastic job is shown as Flink has it, dormant subtasks counted.", e);
            return stock;
        }
    }
}
