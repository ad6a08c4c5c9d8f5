package dev.drrs.runtime.role;

import dev.drrs.runtime.state.SubscaleTimers;

/**
 * What the advice around a keyed backend's snapshot calls; mailbox thread. The hook at the backend
 * is there only while subscales are open: a checkpoint may come when one is settled and not joined
 * yet.
 */
public final class SnapshotHooks {

    private SnapshotHooks() {}

    public static void before(Object hook) {
        if (hook != null) {
            ((SubscaleTimers) hook).beforeSnapshot();
        }
    }

    public static void after(Object hook) {
        if (hook != null) {
            ((SubscaleTimers) hook).afterSnapshot();
        }
    }
}
