package dev.drrs.runtime.rest;

import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.shown.ShownSubtasks;
import java.util.List;
import org.apache.flink.runtime.checkpoint.TaskStateStats;
import org.apache.flink.runtime.rest.messages.checkpoints.SubtaskCheckpointStatistics;
import org.apache.flink.runtime.rest.messages.checkpoints.SubtaskCheckpointStatistics.CompletedSubtaskCheckpointStatistics;
import org.apache.flink.runtime.rest.messages.checkpoints.SubtaskCheckpointStatistics.PendingSubtaskCheckpointStatistics;
import org.apache.flink.runtime.rest.messages.checkpoints.TaskCheckpointStatisticsWithSubtaskDetails;

/**
 * Which subtasks a checkpoint shows. The statistics of an elastic vertex have a place per subtask
 * that was active, and carry their indices. Any thread.
 */
public final class ShownCheckpoints {

    private ShownCheckpoints() {}

    /** Gives the subtasks, which Flink has numbered by their places, their indices. */
    public static void index(
            TaskStateStats statistics, TaskCheckpointStatisticsWithSubtaskDetails details) {
        if (!((Object) statistics instanceof HookHolder holder)
                || !(holder.drrsHook() instanceof int[] indices)) {
            return;
        }
        ShownSubtasks.orStock(
                details,
                () -> {
                    List<SubtaskCheckpointStatistics> subtasks =
                            details.getSubtaskCheckpointStatistics();
                    subtasks.replaceAll(one -> withIndex(one, indices[one.getIndex()]));
                    return details;
                });
    }

    private static SubtaskCheckpointStatistics withIndex(
            SubtaskCheckpointStatistics subtask, int index) {
        if (!(subtask instanceof CompletedSubtaskCheckpointStatistics completed)) {
            return new PendingSubtaskCheckpointStatistics(index);
        }
        return new CompletedSubtaskCheckpointStatistics(
                index,
                completed.getAckTimestamp(),
                completed.getDuration(),
                completed.getCheckpointedSize(),
                completed.getStateSize(),
                completed.getCheckpointDuration(),
                completed.getAlignment(),
                completed.getStartDelay(),
                completed.getUnalignedCheckpoint(),
                completed.isAborted());
    }
}
