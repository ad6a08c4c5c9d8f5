package dev.drrs.instrumentation;

import dev.drrs.instrumentation.jobmanager.JobManagerJoinPoints;
import dev.drrs.instrumentation.task.TaskJoinPoints;
import dev.drrs.instrumentation.task.heap.HeapJoinPoints;
import java.util.List;
import java.util.stream.Stream;

/** Every join point of this Flink version. */
public final class JoinPoints {

    private JoinPoints() {}

    public static List<JoinPoint> all() {
        return Stream.of(JobManagerJoinPoints.all(), TaskJoinPoints.all(), HeapJoinPoints.all())
                .flatMap(List::stream)
                .toList();
    }
}
