package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.task.KeyGroupRanges;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.apache.flink.runtime.state.InternalKeyContextImpl;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.PriorityComparator;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StateSnapshot;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateTable;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.runtime.state.internal.InternalKvState.StateIncrementalVisitor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A backend that may hold any of many key groups does and writes what Flink's own does, and costs
 * what it holds.
 */
class EmptyKeyGroupsITCase {

    private static final int MANY = 4_096;
    private static final int KEYS = 300;
    private static final VoidNamespace NONE = VoidNamespace.INSTANCE;

    @Test
    void keyGroupsWithoutAnEntryShareAMapAndOneWithAnEntryHasItsOwn() throws Exception {
        Table table = new Table(MANY, true);
        assertThat(maps(table)).hasSize(1);

        table.put(7, 70L);
        table.put(8, 80L);
        table.transform(9, 90L);

        assertThat(maps(table)).hasSize(4);
        assertThat(table.get(7)).isEqualTo(70L);
        assertThat(table.get(9)).isEqualTo(90L);
        assertThat(table.get(10)).isNull();
        assertThat(table.table.size()).isEqualTo(3);
    }

    @Test
    void withAnOrdinaryNumberOfKeyGroupsAndInStockJobsNothingChanges() throws Exception {
        assertThat(maps(new Table(128, true))).hasSize(128);
        assertThat(maps(new Table(MANY, false))).hasSize(MANY);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whateverIsDoneWithATableIsAsOnStockFlink(long seed) throws Exception {
        Table stock = new Table(MANY, false);
        Table ours = new Table(MANY, true);
        Random random = new Random(seed);
        StateSnapshot[] open = new StateSnapshot[2];
        byte[] written = null;
        for (int step = 0; step < 2_000; step++) {
            if (random.nextInt(50) == 0) { // not more often: each writes all key groups
                if (open[0] == null) { // a checkpoint begins
                    open[0] = stock.table.stateSnapshot();
                    open[1] = ours.table.stateSnapshot();
                    written = bytes(open[0]);
                } else { // and is written while the table has changed
                    assertThat(bytes(open[1])).isEqualTo(written);
                    open[0].release();
                    open[1].release();
                    open[0] = null;
                }
            }
            int key = random.nextInt(KEYS);
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    stock.put(key, (long) step);
                    ours.put(key, (long) step);
                }
                case 2 -> {
                    stock.transform(key, 1L);
                    ours.transform(key, 1L);
                }
                case 3 -> assertThat(ours.remove(key)).isEqualTo(stock.remove(key));
                default -> assertThat(ours.get(key)).isEqualTo(stock.get(key));
            }
        }
        assertThat(visited(ours)).isEqualTo(visited(stock));
        assertThat(bytes(ours.table.stateSnapshot())).isEqualTo(bytes(stock.table.stateSnapshot()));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whateverIsDoneWithTimersIsAsOnStockFlink(long seed) throws Exception {
        HeapPriorityQueueSet<Timer> stock = queue(new KeyGroupRange(0, MANY - 1));
        HeapPriorityQueueSet<Timer> ours = queue(all(MANY));
        Random random = new Random(seed);
        for (int step = 0; step < 4_000; step++) {
            int key = random.nextInt(KEYS);
            long time = random.nextInt(50);
            switch (random.nextInt(4)) {
                case 0, 1 ->
                        assertThat(ours.add(new Timer(key, time)))
                                .isEqualTo(stock.add(new Timer(key, time)));
                case 2 ->
                        assertThat(ours.remove(new Timer(key, time)))
                                .isEqualTo(stock.remove(new Timer(key, time)));
                default -> {
                    int keyGroup = keyGroup(key);
                    assertThat(ours.getSubsetForKeyGroup(keyGroup))
                            .isEqualTo(stock.getSubsetForKeyGroup(keyGroup));
                }
            }
            assertThat(ours.size()).isEqualTo(stock.size());
        }
        while (!stock.isEmpty()) {
            assertThat(ours.poll().time).isEqualTo(stock.poll().time);
        }
        assertThat(ours.poll()).isNull();
    }

    private static Map<Object, Boolean> maps(Table table) {
        Map<Object, Boolean> maps = new IdentityHashMap<>();
        Arrays.stream(table.table.getState()).forEach(map -> maps.put(map, true));
        return maps;
    }

    /** All key groups as they stand in a checkpoint. */
    private static byte[] bytes(StateSnapshot snapshot) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StateSnapshot.StateKeyGroupWriter writer = snapshot.getKeyGroupWriter();
        for (int keyGroup = 0; keyGroup < MANY; keyGroup++) {
            writer.writeStateInKeyGroup(new DataOutputViewStreamWrapper(bytes), keyGroup);
        }
        return bytes.toByteArray();
    }

    /** What a clean-up of expired state meets. */
    private static Set<String> visited(Table table) {
        Set<String> visited = new HashSet<>();
        StateIncrementalVisitor<Integer, VoidNamespace, Long> visitor =
                table.table.getStateIncrementalVisitor(3);
        while (visitor.hasNext()) {
            visitor.nextEntries()
                    .forEach(entry -> visited.add(entry.getKey() + "=" + entry.getState()));
        }
        return visited;
    }

    private static int keyGroup(int key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, MANY);
    }

    private static KeyGroupRange all(int keyGroups) throws ReflectiveOperationException {
        Method all = KeyGroupRanges.class.getDeclaredMethod("all", int.class);
        all.setAccessible(true);
        return (KeyGroupRange) all.invoke(null, keyGroups);
    }

    private static HeapPriorityQueueSet<Timer> queue(KeyGroupRange range) {
        return new HeapPriorityQueueSet<>(
                PriorityComparator.forPriorityComparableObjects(),
                timer -> timer.key,
                128,
                range,
                MANY);
    }

    /** A table of a backend, with the key that is being processed. */
    private static final class Table {

        final StateTable<Integer, VoidNamespace, Long> table;
        private final InternalKeyContextImpl<Integer> context;
        private final int keyGroups;

        @SuppressWarnings("unchecked")
        Table(int keyGroups, boolean elastic) throws ReflectiveOperationException {
            this.keyGroups = keyGroups;
            KeyGroupRange range = elastic ? all(keyGroups) : new KeyGroupRange(0, keyGroups - 1);
            context = new InternalKeyContextImpl<>(range, keyGroups);
            Constructor<?> constructor = CopyOnWriteStateTable.class.getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            table =
                    (StateTable<Integer, VoidNamespace, Long>)
                            constructor.newInstance(
                                    context,
                                    new RegisteredKeyValueStateBackendMetaInfo<>(
                                            StateDescriptor.Type.VALUE,
                                            "state",
                                            VoidNamespaceSerializer.INSTANCE,
                                            LongSerializer.INSTANCE),
                                    IntSerializer.INSTANCE);
        }

        private void at(int key) {
            context.setCurrentKey(key);
            context.setCurrentKeyGroupIndex(
                    KeyGroupRangeAssignment.assignToKeyGroup(key, keyGroups));
        }

        void put(int key, long value) {
            at(key);
            table.put(NONE, value);
        }

        void transform(int key, long more) throws Exception {
            at(key);
            table.transform(NONE, more, (before, one) -> before == null ? one : before + one);
        }

        Long get(int key) {
            at(key);
            return table.get(NONE);
        }

        Long remove(int key) {
            at(key);
            return table.removeAndGetOld(NONE);
        }
    }

    private static final class Timer
            implements HeapPriorityQueueElement, PriorityComparable<Timer> {
        private final int key;
        private final long time;
        private int index = NOT_CONTAINED;

        Timer(int key, long time) {
            this.key = key;
            this.time = time;
        }

        @Override
        public int comparePriorityTo(Timer other) {
            return Long.compare(time, other.time);
        }

        @Override
        public int getInternalIndex() {
            return index;
        }

        @Override
        public void setInternalIndex(int newIndex) {
            index = newIndex;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Timer timer && timer.key == key && timer.time == time;
        }

        @Override
        public int hashCode() {
            return 31 * key + Long.hashCode(time);
        }
    }
}
