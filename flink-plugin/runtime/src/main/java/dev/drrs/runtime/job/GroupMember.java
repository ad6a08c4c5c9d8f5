package dev.drrs.runtime.job;

/**
 * A vertex whose subtasks may be dormant: a keyed one, or one that follows it because all it reads
 * comes over FORWARD edges. Keyed vertex and followers are one group: the same subtasks of all are
 * active, and subtask i of one talks to subtask i of the other only.
 *
 * <p>Threads as in {@link ElasticVertex}.
 */
public interface GroupMember extends NamedVertex {

    int maxParallelism();

    /** The keyed vertex of the group. */
    ElasticVertex leader();

    /** Number of subtasks, dormant ones counted; the same in the whole group. */
    default int ceiling() {
        return leader().ceiling();
    }

    /** By subtask index. */
    default boolean[] active() {
        return leader().active();
    }

    default boolean isActive(int subtask) {
        return active()[subtask];
    }

    default int activeCount() {
        int count = 0;
        for (boolean is : active()) {
            count += is ? 1 : 0;
        }
        return count;
    }
}
