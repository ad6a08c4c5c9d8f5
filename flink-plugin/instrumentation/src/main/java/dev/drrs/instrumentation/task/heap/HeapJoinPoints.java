package dev.drrs.instrumentation.task.heap;

import dev.drrs.instrumentation.JoinPoint;
import java.util.List;

/** Join points in the heap state backend. */
public final class HeapJoinPoints {

    private HeapJoinPoints() {}

    public static List<JoinPoint> all() {
        return List.of(
                new EmptyKeyGroups(),
                new WrittenKeyGroups(),
                new EmptyTimerGroups(),
                new SeparateTimersInSnapshot());
    }
}
