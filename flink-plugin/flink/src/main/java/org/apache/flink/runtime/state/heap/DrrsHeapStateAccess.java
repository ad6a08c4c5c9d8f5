package org.apache.flink.runtime.state.heap;

import dev.drrs.flink.Handles;
import dev.drrs.flink.HookHolder;
import dev.drrs.flink.KeyGroupRangeMark;
import dev.drrs.flink.StateMembers;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.StateSnapshotTransformer;
import org.apache.flink.runtime.state.StateTransformationFunction;
import org.apache.flink.runtime.state.internal.InternalKvState.StateIncrementalVisitor;

/**
 * Lets the heap backend of an elastic operator, which may hold any key group of the operator, cost
 * what it holds where these are many. Flink makes a map for each key group and state, and copies
 * each in each snapshot, whether there is anything in it or not; in such a backend the key groups
 * without an entry share one map per state, until something is put into one of them. Mailbox thread
 * of the task.
 */
public final class DrrsHeapStateAccess {

    /** With fewer key groups in its range a backend is left as Flink makes it. */
    private static final int MANY = 1_024;

    private static final VarHandle TIMERS = Handles.field(StateMembers.TIMERS_BY_KEY_GROUP);

    private DrrsHeapStateAccess() {}

    /**
     * Called from a table that needs a map for a key group in which there is nothing.
     *
     * @return the one that all of them share; null if this table's do not
     */
    @SuppressWarnings("unchecked")
    public static CopyOnWriteStateMap<?, ?, ?> emptyMap(Object table) {
        StateTable<Object, Object, Object> self = (StateTable<Object, Object, Object>) table;
        if (!isWide(self.keyGroupRange)) {
            return null;
        }
        HookHolder holder = (HookHolder) table;
        if (holder.drrsHook() == null) {
            holder.drrsHook(new Empty<>(self.getStateSerializer()));
        }
        return (CopyOnWriteStateMap<?, ?, ?>) holder.drrsHook();
    }

    private static boolean isWide(KeyGroupRange range) {
        return range.getNumberOfKeyGroups() >= MANY && KeyGroupRangeMark.isMarked(range);
    }

    /**
     * Called from a table before it puts something into a key group.
     *
     * @param empty the table's shared map, or null
     */
    public static void beforePut(Object empty, Object table, int keyGroup) {
        if (empty != null) {
            ownMap(empty, (StateTable<?, ?, ?>) table, keyGroup);
        }
    }

    /** As {@link #beforePut}, for the present key. */
    public static void beforePut(Object empty, Object table) {
        if (empty != null) {
            StateTable<?, ?, ?> self = (StateTable<?, ?, ?>) table;
            ownMap(empty, self, self.keyContext.getCurrentKeyGroupIndex());
        }
    }

    /** The range begins at key group 0. */
    private static <K, N, S> void ownMap(Object empty, StateTable<K, N, S> table, int keyGroup) {
        StateMap<K, N, S>[] maps = table.keyGroupedStateMaps;
        if (keyGroup >= 0 && keyGroup < maps.length && maps[keyGroup] == empty) {
            maps[keyGroup] = new CopyOnWriteStateMap<>(table.getStateSerializer());
        }
    }

    /**
     * Whether an entry of a map has been put, read or changed since a snapshot of the map that has
     * not been released. Flink's maps see to that themselves: for as long as a snapshot is held an
     * entry that is older than it is copied before anybody is handed its value, and says so by its
     * version. Any thread that has the map for itself.
     */
    public static boolean isTouchedSince(
            CopyOnWriteStateMapSnapshot<?, ?, ?> snapshot, StateEntry<?, ?, ?> entry) {
        return ((CopyOnWriteStateMap.StateMapEntry<?, ?, ?>) entry).stateVersion
                >= snapshot.getSnapshotVersion();
    }

    /** Called from a queue of timers that has been made: a backend's share one map likewise. */
    public static void made(Object queue, KeyGroupRange range) {
        if (isWide(range)) {
            HashMap<?, ?> empty = new HashMap<>();
            Arrays.fill((HashMap<?, ?>[]) TIMERS.get((HeapPriorityQueueSet<?>) queue), empty);
            ((HookHolder) queue).drrsHook(empty);
        }
    }

    /**
     * Called from a queue of timers that has found the map of a key group.
     *
     * @param empty the queue's shared map, or null
     */
    public static HashMap<?, ?> ownMap(
            Object empty, Object queue, KeyGroupRange range, int keyGroup, HashMap<?, ?> found) {
        if (found != empty) {
            return found;
        }
        HashMap<?, ?> own = new HashMap<>();
        ((HashMap<?, ?>[]) TIMERS.get((HeapPriorityQueueSet<?>) queue))
                        [keyGroup - range.getStartKeyGroup()] =
                own;
        return own;
    }

    /** What all key groups of a table share that have no entry: it never has one. */
    private static final class Empty<K, N, S> extends CopyOnWriteStateMap<K, N, S> {

        private EmptySnapshot<K, N, S> snapshot;

        Empty(TypeSerializer<S> stateSerializer) {
            super(stateSerializer);
        }

        @Override
        public void put(K key, N namespace, S state) {
            throw shared();
        }

        @Override
        public S putAndGetOld(K key, N namespace, S state) {
            throw shared();
        }

        @Override
        public <T> void transform(
                K key, N namespace, T value, StateTransformationFunction<S, T> transformation) {
            throw shared();
        }

        private static IllegalStateException shared() {
            return new IllegalStateException(
                    "an entry was to be put into the map that empty key groups share");
        }

        @Override
        public CopyOnWriteStateMapSnapshot<K, N, S> stateSnapshot() {
            if (snapshot == null) {
                snapshot = new EmptySnapshot<>(this);
            }
            return snapshot;
        }

        @Override
        public StateIncrementalVisitor<K, N, S> getStateIncrementalVisitor(int recommended) {
            return NoEntries.instance();
        }
    }

    /** Its snapshot, in all checkpoints at a time: there is nothing to release. */
    private static final class EmptySnapshot<K, N, S> extends CopyOnWriteStateMapSnapshot<K, N, S> {

        EmptySnapshot(Empty<K, N, S> map) {
            super(map);
        }

        @Override
        public void release() {
            // shared
        }

        @Override
        public boolean isReleased() {
            return true;
        }

        @Override
        public void writeState(
                TypeSerializer<K> keySerializer,
                TypeSerializer<N> namespaceSerializer,
                TypeSerializer<S> stateSerializer,
                DataOutputView out,
                StateSnapshotTransformer<S> transformer)
                throws IOException {
            out.writeInt(0);
        }
    }

    /** A clean-up of expired state goes over the key groups with each record. */
    private static final class NoEntries<K, N, S> implements StateIncrementalVisitor<K, N, S> {

        private static final NoEntries<?, ?, ?> INSTANCE = new NoEntries<>();

        @SuppressWarnings("unchecked")
        static <K, N, S> NoEntries<K, N, S> instance() {
            return (NoEntries<K, N, S>) INSTANCE;
        }

        @Override
        public boolean hasNext() {
            return false;
        }

        @Override
        public Collection<StateEntry<K, N, S>> nextEntries() {
            return Collections.emptyList();
        }

        @Override
        public void remove(StateEntry<K, N, S> entry) {
            throw new IllegalStateException("there is no entry");
        }

        @Override
        public void update(StateEntry<K, N, S> entry, S newValue) {
            throw new IllegalStateException("there is no entry");
        }
    }
}
