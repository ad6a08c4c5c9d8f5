package dev.drrs.runtime.heap;

import dev.drrs.runtime.backend.KeyedHandles;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * One stream each, and where in it which key group begins. Handles of neighbouring key groups in
 * the same stream are put together: a task opens a stream and reads its head once for each handle.
 */
final class HeapHandles implements KeyedHandles {

    @Override
    public boolean isDivisible(KeyedStateHandle handle) {
        return handle instanceof KeyGroupsStateHandle;
    }

    @Override
    public List<KeyedStateHandle> join(List<KeyedStateHandle> handles) {
        List<KeyedStateHandle> joined = new ArrayList<>();
        List<KeyGroupsStateHandle> run = new ArrayList<>();
        for (KeyedStateHandle handle : handles) {
            if (!run.isEmpty() && !isNext(run.get(run.size() - 1), handle)) {
                joined.add(one(run));
                run.clear();
            }
            if (handle instanceof KeyGroupsStateHandle groups) {
                run.add(groups);
            } else {
                joined.add(handle);
            }
        }
        if (!run.isEmpty()) {
            joined.add(one(run));
        }
        return joined;
    }

    private static boolean isNext(KeyGroupsStateHandle last, KeyedStateHandle handle) {
        return last.getClass() == handle.getClass()
                && handle instanceof KeyGroupsStateHandle next
                && last.getDelegateStateHandle().equals(next.getDelegateStateHandle())
                && last.getKeyGroupRange().getEndKeyGroup() + 1
                        == next.getKeyGroupRange().getStartKeyGroup();
    }

    private static KeyGroupsStateHandle one(List<KeyGroupsStateHandle> run) {
        KeyGroupsStateHandle first = run.get(0);
        if (run.size() == 1) {
            return first;
        }
        int start = first.getKeyGroupRange().getStartKeyGroup();
        int end = run.get(run.size() - 1).getKeyGroupRange().getEndKeyGroup();
        long[] offsets = new long[end - start + 1];
        for (KeyGroupsStateHandle part : run) {
            for (int keyGroup : part.getKeyGroupRange()) {
                offsets[keyGroup - start] = part.getOffsetForKeyGroup(keyGroup);
            }
        }
        KeyGroupRangeOffsets range =
                new KeyGroupRangeOffsets(KeyGroupRange.of(start, end), offsets);
        return first instanceof KeyGroupsSavepointStateHandle
                ? new KeyGroupsSavepointStateHandle(range, first.getDelegateStateHandle())
                : KeyGroupsStateHandle.restore(
                        range, first.getDelegateStateHandle(), first.getStateHandleId());
    }
}
