package dev.drrs.runtime.message;

import java.io.Serializable;

/**
 * How often and for how long a TaskManager's JVM stopped all its threads to collect garbage.
 *
 * @param taskManager its id
 * @param count pauses
 * @param totalMillis of all of them, milliseconds
 * @param longestMillis of one, milliseconds
 */
public record CollectionPauses(String taskManager, long count, long totalMillis, long longestMillis)
        implements Serializable {

    /**
     * What two tasks of one TaskManager saw of the same pauses, of which the one heard from sooner
     * or later than the other: the more of each.
     */
    public CollectionPauses or(CollectionPauses other) {
        return new CollectionPauses(
                taskManager,
                Math.max(count, other.count),
                Math.max(totalMillis, other.totalMillis),
                Math.max(longestMillis, other.longestMillis));
    }
}
