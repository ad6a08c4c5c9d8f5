package dev.drrs.instrumentation;

import dev.drrs.instrumentation.jobmanager.JobManagerJoinPoints;
import dev.drrs.instrumentation.task.TaskJoinPoints;
import java.util.List;
import java.util.stream.Stream;

/** Every join point of this Flink version. */
public final class JoinPoints {

    /** The Flink version that the members of the join points were read from. */
    public static final String FLINK_VERSION = "2.3.0";

    private JoinPoints() {}

    public static List<JoinPoint> all() {
        return Stream.of(JobManagerJoinPoints.all(), TaskJoinPoints.all())
                .flatMap(List::stream)
                .toList();
    }
}
