package dev.drrs.instrumentation.task;

import dev.drrs.instrumentation.JoinPoint;
import java.util.List;

/** Join points in the tasks: subpartitions, gates, barriers, watermarks, keyed state. */
public final class TaskJoinPoints {

    private TaskJoinPoints() {}

    public static List<JoinPoint> all() {
        return List.of();
    }
}
