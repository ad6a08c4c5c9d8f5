package dev.drrs.flink;

import org.apache.flink.runtime.state.KeyGroupRange;

/** Marks the range of a keyed backend that holds only some of its key groups at a time. */
public final class KeyGroupRangeMark {

    private static final Object WIDENED = new Object();

    private KeyGroupRangeMark() {}

    public static void mark(KeyGroupRange range) {
        ((HookHolder) (Object) range).drrsHook(WIDENED);
    }

    public static boolean isMarked(KeyGroupRange range) {
        return (Object) range instanceof HookHolder holder && holder.drrsHook() == WIDENED;
    }
}
