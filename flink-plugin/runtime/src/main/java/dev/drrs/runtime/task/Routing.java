package dev.drrs.runtime.task;

import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Routing of one output by an explicit table, key group to subtask, and the load that went that
 * way. Hangs at the output's partitioner; mailbox thread only.
 */
public final class Routing {

    private final int[] ownerOfKeyGroup;
    private final long[] records;

    /**
     * @param placement key group to consumer subtask; copied
     */
    public Routing(int[] placement) {
        ownerOfKeyGroup = placement.clone();
        records = new long[placement.length];
    }

    /**
     * Called from the partitioner for each record.
     *
     * @param hook what hangs at the partitioner
     * @return the channel plus one, 0 if Flink is to choose
     */
    public static int select(
            Object hook, KeySelector<?, ?> keySelector, SerializationDelegate<?> record) {
        return hook == null ? 0 : 1 + ((Routing) hook).channel(keySelector, record);
    }

    /** From now on records of these key groups go to this subtask. */
    public void route(int[] keyGroups, int newOwner) {
        for (int keyGroup : keyGroups) {
            ownerOfKeyGroup[keyGroup] = newOwner;
        }
    }

    public int owner(int keyGroup) {
        return ownerOfKeyGroup[keyGroup];
    }

    /** Records per key group since the task started; the live array. */
    public long[] records() {
        return records;
    }

    @SuppressWarnings("unchecked")
    private int channel(KeySelector<?, ?> keySelector, SerializationDelegate<?> record) {
        Object value = ((StreamRecord<?>) record.getInstance()).getValue();
        Object key;
        try {
            key = ((KeySelector<Object, Object>) keySelector).getKey(value);
        } catch (Exception e) {
            throw new RuntimeException("Could not extract key from " + value, e);
        }
        int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(key, ownerOfKeyGroup.length);
        records[keyGroup]++;
        return ownerOfKeyGroup[keyGroup];
    }
}
