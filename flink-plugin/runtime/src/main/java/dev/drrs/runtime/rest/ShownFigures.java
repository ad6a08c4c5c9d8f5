package dev.drrs.runtime.rest;

import dev.drrs.flink.HookHolder;
import dev.drrs.flink.RestAccess;
import dev.drrs.runtime.job.RetiredFigures.Counted;
import dev.drrs.runtime.shown.ShownSubtasks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionVertex;
import org.apache.flink.runtime.executiongraph.IOMetrics;
import org.apache.flink.runtime.rest.messages.JobVertexDetailsInfo;
import org.apache.flink.runtime.rest.messages.SubtasksTimesInfo;
import org.apache.flink.runtime.rest.messages.job.JobDetailsInfo;
import org.apache.flink.runtime.rest.messages.job.metrics.IOMetricsInfo;

/**
 * What Flink's REST handlers get wrong about a vertex that shows only some of its subtasks ({@link
 * ShownSubtasks}): what retired ones have counted, and which subtask has which index. Any thread;
 * nothing here fails a request that Flink would answer.
 */
public final class ShownFigures {

    private ShownFigures() {}

    private static Counted counted(AccessExecutionJobVertex vertex) {
        return vertex instanceof HookHolder holder ? (Counted) holder.drrsHook() : null;
    }

    /** The vertex as the page of the job has it, with what retired subtasks have counted. */
    public static JobDetailsInfo.JobVertexDetailsInfo inJob(
            AccessExecutionJobVertex vertex, JobDetailsInfo.JobVertexDetailsInfo stock) {
        Counted retired = counted(vertex);
        return retired == null ? stock : ShownSubtasks.orStock(stock, () -> plus(stock, retired));
    }

    private static JobDetailsInfo.JobVertexDetailsInfo plus(
            JobDetailsInfo.JobVertexDetailsInfo present, Counted retired) {
        long start = present.getStartTime();
        long earlier = start > 0 ? Math.max(0, start - retired.since()) : 0;
        return new JobDetailsInfo.JobVertexDetailsInfo(
                present.getJobVertexID(),
                present.getSlotSharingGroupId(),
                present.getName(),
                present.getMaxParallelism(),
                present.getParallelism(),
                present.getExecutionState(),
                start - earlier,
                present.getEndTime(),
                present.getDuration() + earlier,
                present.getTasksPerState(),
                plus(present.getJobVertexMetrics(), retired.io()));
    }

    private static IOMetricsInfo plus(IOMetricsInfo present, IOMetrics retired) {
        return new IOMetricsInfo(
                present.getBytesRead() + retired.getNumBytesIn(),
                present.isBytesReadComplete(),
                present.getBytesWritten() + retired.getNumBytesOut(),
                present.isBytesWrittenComplete(),
                present.getRecordsRead() + retired.getNumRecordsIn(),
                present.isRecordsReadComplete(),
                present.getRecordsWritten() + retired.getNumRecordsOut(),
                present.isRecordsWrittenComplete(),
                present.getAccumulatedBackpressured() + retired.getAccumulateBackPressuredTime(),
                present.getAccumulatedIdle() + retired.getAccumulateIdleTime(),
                present.getAccumulatedBusy() + retired.getAccumulateBusyTime());
    }

    /**
     * The page of the vertex: what retired subtasks have counted is in the sums of its aggregates.
     * Minimum, maximum, average and percentiles are those of the subtasks it lists.
     */
    public static JobVertexDetailsInfo inVertex(
            AccessExecutionJobVertex vertex, JobVertexDetailsInfo stock) {
        Counted retired = counted(vertex);
        return retired == null
                ? stock
                : ShownSubtasks.orStock(
                        stock,
                        () -> {
                            addToSums(stock, retired.io());
                            return stock;
                        });
    }

    private static void addToSums(JobVertexDetailsInfo present, IOMetrics retired) {
        Map<String, Map<String, Long>> figures = RestAccess.aggregated(present);
        add(figures, IOMetricsInfo.FIELD_NAME_BYTES_READ, retired.getNumBytesIn());
        add(figures, IOMetricsInfo.FIELD_NAME_BYTES_WRITTEN, retired.getNumBytesOut());
        add(figures, IOMetricsInfo.FIELD_NAME_RECORDS_READ, retired.getNumRecordsIn());
        add(figures, IOMetricsInfo.FIELD_NAME_RECORDS_WRITTEN, retired.getNumRecordsOut());
        add(
                figures,
                IOMetricsInfo.FIELD_NAME_ACC_BACK_PRESSURE,
                retired.getAccumulateBackPressuredTime());
        add(figures, IOMetricsInfo.FIELD_NAME_ACC_IDLE, retired.getAccumulateIdleTime());
        if (!Double.isNaN(retired.getAccumulateBusyTime())) {
            add(figures, IOMetricsInfo.FIELD_NAME_ACC_BUSY, (long) retired.getAccumulateBusyTime());
        }
    }

    private static void add(Map<String, Map<String, Long>> figures, String name, long more) {
        figures.get(name).merge("sum", more, Long::sum);
    }

    /** Flink numbers the subtasks by their places. */
    public static SubtasksTimesInfo times(
            AccessExecutionJobVertex vertex, SubtasksTimesInfo stock) {
        return isDense(vertex) ? stock : ShownSubtasks.orStock(stock, () -> indexed(vertex, stock));
    }

    private static SubtasksTimesInfo indexed(
            AccessExecutionJobVertex vertex, SubtasksTimesInfo byPlace) {
        List<SubtasksTimesInfo.SubtaskTimeInfo> times = new ArrayList<>();
        for (SubtasksTimesInfo.SubtaskTimeInfo one : byPlace.getSubtasks()) {
            times.add(
                    new SubtasksTimesInfo.SubtaskTimeInfo(
                            vertex.getTaskVertices()[one.getSubtask()].getParallelSubtaskIndex(),
                            one.getEndpoint(),
                            one.getDuration(),
                            one.getTimestamps()));
        }
        return new SubtasksTimesInfo(byPlace.getId(), byPlace.getName(), byPlace.getNow(), times);
    }

    /** The subtask that a request names, or null. */
    public static Integer first(List<Integer> named) {
        return named.isEmpty() ? null : named.get(0);
    }

    /**
     * The vertex for a handler that takes one subtask out of it by its index as a place: there it
     * finds the subtask of this index, or none if that is dormant, as one that the vertex does not
     * have.
     *
     * @param index null if it takes none
     */
    public static AccessExecutionJobVertex forLookUp(
            AccessExecutionJobVertex vertex, Integer index) {
        return index == null || isDense(vertex)
                ? vertex
                : ShownSubtasks.orStock(vertex, () -> withSubtaskAtItsIndex(vertex, index));
    }

    private static AccessExecutionJobVertex withSubtaskAtItsIndex(
            AccessExecutionJobVertex vertex, int index) {
        ArchivedExecutionVertex[] places = new ArchivedExecutionVertex[0];
        for (AccessExecutionVertex subtask : vertex.getTaskVertices()) {
            if (subtask.getParallelSubtaskIndex() == index) {
                places = new ArchivedExecutionVertex[index + 1];
                Arrays.fill(places, subtask);
            }
        }
        return new ArchivedExecutionJobVertex(
                places,
                vertex.getJobVertexId(),
                vertex.getName(),
                vertex.getParallelism(),
                vertex.getMaxParallelism(),
                vertex.getSlotSharingGroup(),
                vertex.getResourceProfile(),
                vertex.getAggregatedUserAccumulatorsStringified());
    }

    private static boolean isDense(AccessExecutionJobVertex vertex) {
        AccessExecutionVertex[] subtasks = vertex.getTaskVertices();
        int last = subtasks.length - 1;
        return last < 0 || subtasks[last].getParallelSubtaskIndex() == last;
    }
}
