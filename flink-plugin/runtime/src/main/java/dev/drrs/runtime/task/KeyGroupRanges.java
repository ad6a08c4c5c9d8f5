package dev.drrs.runtime.task;

import dev.drrs.runtime.ElasticTaskInfo;
import dev.drrs.runtime.HookHolder;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.KeyGroupRange;

/** Which key groups a keyed state backend can hold. */
public final class KeyGroupRanges {

    /** What hangs at the range of such a backend. */
    private static final Object WIDENED = new Object();

    private KeyGroupRanges() {}

    /**
     * Called when a keyed state backend is about to be made.
     *
     * @return all key groups for an elastic operator, so that any of its subtasks can hold any of
     *     them and a snapshot stays readable by stock Flink; else the range as it was
     */
    public static KeyGroupRange widen(
            Environment environment, int numberOfKeyGroups, KeyGroupRange range) {
        ElasticTaskInfo info = ElasticTaskInfo.decode(environment.getTaskConfiguration());
        return info == null || info.self() == null || info.self().follower()
                ? range
                : all(numberOfKeyGroups);
    }

    private static KeyGroupRange all(int numberOfKeyGroups) {
        KeyGroupRange all = new KeyGroupRange(0, numberOfKeyGroups - 1);
        ((HookHolder) (Object) all).drrsHook(WIDENED);
        return all;
    }

    /** Whether the backend of this range holds only some of its key groups. */
    public static boolean isWidened(KeyGroupRange range) {
        return (Object) range instanceof HookHolder holder && holder.drrsHook() == WIDENED;
    }
}
