package dev.drrs.runtime.jobmanager;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * Puts handles of neighbouring key groups in the same stream together: a task opens a stream and
 * reads its head once for each handle.
 */
final class JoinedHandles {

    private JoinedHandles() {}

    /**
     * @param handles by ascending key group, those of one range next to each other
     */
    static List<KeyedStateHandle> join(List<KeyedStateHandle> handles) {
        List<KeyedStateHandle> joined = new ArrayList<>();
        for (KeyedStateHandle handle : handles) {
            int last = joined.size() - 1;
            KeyGroupsStateHandle both = last < 0 ? null : joinable(joined.get(last), handle);
            if (both == null) {
                joined.add(handle);
            } else {
                joined.set(last, both);
            }
        }
        return joined;
    }

    private static KeyGroupsStateHandle joinable(KeyedStateHandle left, KeyedStateHandle right) {
        if (left.getClass() != right.getClass()
                || !(left instanceof KeyGroupsStateHandle first)
                || !(right instanceof KeyGroupsStateHandle second)
                || !first.getDelegateStateHandle().equals(second.getDelegateStateHandle())
                || first.getKeyGroupRange().getEndKeyGroup() + 1
                        != second.getKeyGroupRange().getStartKeyGroup()) {
            return null;
        }
        int start = first.getKeyGroupRange().getStartKeyGroup();
        int end = second.getKeyGroupRange().getEndKeyGroup();
        long[] offsets = new long[end - start + 1];
        for (int keyGroup = start; keyGroup <= end; keyGroup++) {
            KeyGroupsStateHandle of = first.getKeyGroupRange().contains(keyGroup) ? first : second;
            offsets[keyGroup - start] = of.getOffsetForKeyGroup(keyGroup);
        }
        KeyGroupRangeOffsets range =
                new KeyGroupRangeOffsets(KeyGroupRange.of(start, end), offsets);
        return first instanceof KeyGroupsSavepointStateHandle
                ? new KeyGroupsSavepointStateHandle(range, first.getDelegateStateHandle())
                : KeyGroupsStateHandle.restore(
                        range, first.getDelegateStateHandle(), first.getStateHandleId());
    }
}
