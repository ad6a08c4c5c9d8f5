package dev.drrs.runtime.job;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.api.common.accumulators.AccumulatorHelper;
import org.apache.flink.runtime.accumulators.StringifiedAccumulatorResult;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.IOMetrics;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.util.OptionalFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What retired subtasks of a job have counted: their accumulators, which belong to the job's
 * result, and what they have read and written, which belongs to the figures of their vertex. Flink
 * asks the present attempt of a subtask only, and that of a retired one has counted nothing yet.
 *
 * <p>A failover of the vertex forgets all of it: Flink starts accumulators and counters of
 * restarted tasks anew, whatever checkpoint they go back to, and all subtasks of a vertex that
 * reads by key restart together, so those that had retired count as restarted too. Main thread.
 */
public final class RetiredFigures {

    private static final Logger LOG = LoggerFactory.getLogger(RetiredFigures.class);

    /**
     * What the retired subtasks of one vertex have read and written.
     *
     * @param io sums over them
     * @param since when the first of them was deployed, epoch milliseconds
     * @param last by index of the subtask: the attempt that has retired last, and when
     */
    public record Counted(IOMetrics io, long since, Map<Integer, LastRun> last)
            implements Serializable {

        private static final long serialVersionUID = 1L;

        private static Counted of(Counted before, Execution retired) {
            Map<Integer, LastRun> last = new HashMap<>(before.last);
            last.put(
                    retired.getParallelSubtaskIndex(),
                    new LastRun(retired.getAttemptNumber(), System.currentTimeMillis()));
            return new Counted(
                    sum(before.io, retired.getIOMetrics()),
                    Math.min(before.since, retired.getStateTimestamp(ExecutionState.DEPLOYING)),
                    last);
        }
    }

    /**
     * The attempt of a subtask that has retired.
     *
     * @param attempt its number
     * @param retired epoch milliseconds
     */
    public record LastRun(int attempt, long retired) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    private final Map<JobVertexID, Map<String, OptionalFailure<Accumulator<?, ?>>>> accumulators =
            new HashMap<>();
    private final Map<JobVertexID, Counted> counted = new HashMap<>();

    /** A subtask has retired: called before it becomes dormant. */
    public void keep(Execution retired) {
        JobVertexID vertex = retired.getVertex().getJobvertexId();
        if (retired.getUserAccumulators() != null) {
            Map<String, OptionalFailure<Accumulator<?, ?>>> kept =
                    accumulators.computeIfAbsent(vertex, id -> new HashMap<>());
            retired.getUserAccumulators()
                    .forEach((name, own) -> merge(kept, name, OptionalFailure.of(own)));
        }
        if (retired.getIOMetrics() != null) {
            counted.put(vertex, Counted.of(counted.getOrDefault(vertex, NOTHING), retired));
        }
    }

    /** The subtasks of the vertex restart. */
    void forget(JobVertexID vertex) {
        accumulators.remove(vertex);
        counted.remove(vertex);
    }

    /** Null if no subtask of the vertex has retired. */
    public Counted counted(JobVertexID vertex) {
        return counted.get(vertex);
    }

    /** Called from an execution graph that has merged the accumulators of its present attempts. */
    public static void addTo(JobID id, Map<String, OptionalFailure<Accumulator<?, ?>>> result) {
        ElasticJob job = ElasticJobs.get(id);
        if (job != null) {
            job.figures().accumulators.values().forEach(kept -> mergeAll(result, kept));
        }
    }

    /**
     * Called from a vertex that has merged the accumulators of its present attempts, with the
     * outcome; returns the same with those of retired subtasks.
     */
    public static StringifiedAccumulatorResult[] ofVertex(
            ExecutionJobVertex vertex, StringifiedAccumulatorResult[] present) {
        ElasticJob job = ElasticJobs.get(vertex.getJobId());
        Map<String, OptionalFailure<Accumulator<?, ?>>> kept =
                job == null ? null : job.figures().accumulators.get(vertex.getJobVertexId());
        if (kept == null) {
            return present;
        }
        Map<String, OptionalFailure<Accumulator<?, ?>>> all = new HashMap<>();
        for (ExecutionVertex subtask : vertex.getTaskVertices()) {
            Map<String, Accumulator<?, ?>> own =
                    subtask.getCurrentExecutionAttempt().getUserAccumulators();
            if (own != null) {
                AccumulatorHelper.mergeInto(all, own);
            }
        }
        mergeAll(all, kept);
        return StringifiedAccumulatorResult.stringifyAccumulatorResults(all);
    }

    private static void mergeAll(
            Map<String, OptionalFailure<Accumulator<?, ?>>> result,
            Map<String, OptionalFailure<Accumulator<?, ?>>> kept) {
        kept.forEach((name, own) -> merge(result, name, own));
    }

    /**
     * As Flink merges. Of two types under one name Flink's caller hears by an exception; here there
     * is nobody to hear it, so it stands in the place of the result.
     */
    static void merge(
            Map<String, OptionalFailure<Accumulator<?, ?>>> result,
            String name,
            OptionalFailure<Accumulator<?, ?>> own) {
        if (own.isFailure()) {
            result.put(name, own);
            return;
        }
        try {
            AccumulatorHelper.mergeInto(result, Map.of(name, own.getUnchecked()));
        } catch (UnsupportedOperationException e) {
            LOG.warn("Accumulator {} of retired subtasks cannot be merged.", name, e);
            result.put(name, OptionalFailure.ofFailure(e));
        }
    }

    private static final Counted NOTHING =
            new Counted(new IOMetrics(0, 0, 0, 0, 0, 0, 0), Long.MAX_VALUE, Map.of());

    private static IOMetrics sum(IOMetrics some, IOMetrics more) {
        return new IOMetrics(
                some.getNumBytesIn() + more.getNumBytesIn(),
                some.getNumBytesOut() + more.getNumBytesOut(),
                some.getNumRecordsIn() + more.getNumRecordsIn(),
                some.getNumRecordsOut() + more.getNumRecordsOut(),
                some.getAccumulateIdleTime() + more.getAccumulateIdleTime(),
                some.getAccumulateBusyTime() + more.getAccumulateBusyTime(),
                some.getAccumulateBackPressuredTime() + more.getAccumulateBackPressuredTime());
    }
}
