package dev.drrs.instrumentation.task;

import dev.drrs.instrumentation.JoinPoint;
import java.util.List;

/** Join points in the tasks: subpartitions, gates, barriers, watermarks, any keyed state. */
public final class TaskJoinPoints {

    private TaskJoinPoints() {}

    public static List<JoinPoint> all() {
        return List.of(
                new TaskManagerNetwork(),
                new TaskLifecycle(),
                new DormantSubpartition(),
                new DormantEmit(),
                new DormantConsumers(),
                new OpenSubpartitions(),
                new PartitionPools(),
                new PartitionPoolSize(),
                new PartitionPoolCheck(),
                new PoolLimits(),
                new KeyGroupRouting(),
                new LastRecordAttributes(),
                new InputChannels(),
                new UnknownChannel(),
                new EndOfRecovery(),
                new AlignedBarriers(),
                new TrackedBarriers(),
                new InputEventTime(),
                new InputElements(),
                new AllKeyGroups(),
                new WidenedRange(),
                new ActiveParallelism(),
                new OperatorContext(),
                new OperatorContextV2());
    }
}
