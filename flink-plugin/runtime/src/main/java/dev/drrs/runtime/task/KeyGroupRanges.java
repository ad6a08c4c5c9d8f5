package dev.drrs.runtime.task;

import dev.drrs.flink.KeyGroupRangeMark;
import dev.drrs.runtime.ElasticTaskInfo;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.KeyGroupRange;

/** Which key groups a keyed state backend can hold. */
public final class KeyGroupRanges {

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
        KeyGroupRangeMark.mark(all);
        return all;
    }
}
