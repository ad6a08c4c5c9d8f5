package dev.drrs.runtime.state.sorted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.runtime.heap.HeapBackend;
import dev.drrs.runtime.state.DetachedKeyGroups;
import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.state.StateKeys;
import dev.drrs.runtime.state.SubscaleTimers;
import dev.drrs.runtime.supported.StateBackends;
import dev.drrs.runtime.supported.StateSupport;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateHandleID;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** That the interface is enough for a backend that is not the heap one. */
class SecondBackendTest {

    private static final int MAX_PARALLELISM = 8;
    private static final int CHUNK_BYTES = 64;
    private static final int KEY = 1;
    private static final int SUBSCALE = 3;

    private final StateBackends sorted = new StateBackends(List.of(new SortedBackend()));
    private final StateBackends both =
            new StateBackends(List.of(new HeapBackend(), new SortedBackend()));

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    /** Counts the elements of a key and puts the count out when a timer says so. */
    private static final class Counts extends AbstractStreamOperator<String>
            implements OneInputStreamOperator<Integer, String>,
                    Triggerable<Integer, VoidNamespace> {

        final NavigableMap<Integer, NavigableMap<Integer, Long>> numbers = new TreeMap<>();
        boolean frozen;
        SubscaleTimers hook;
        private InternalTimerService<VoidNamespace> timers;

        @Override
        public void open() {
            timers = getInternalTimerService("due", VoidNamespaceSerializer.INSTANCE, this);
        }

        @Override
        @SuppressWarnings("unchecked")
        public <K> KeyedStateBackend<K> getKeyedStateBackend() {
            KeyedStateBackend<K> real = super.getKeyedStateBackend();
            return (KeyedStateBackend<K>)
                    Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {SortedBackend.Numbers.class},
                            (proxy, method, arguments) ->
                                    switch (method.getName()) {
                                        case "byKeyGroup" -> numbers;
                                        case "range" -> KeyGroupRange.of(0, MAX_PARALLELISM - 1);
                                        case "frozen" -> frozen;
                                        case "hook" -> hook = (SubscaleTimers) arguments[0];
                                        default -> method.invoke(real, arguments);
                                    });
        }

        @Override
        public void processElement(StreamRecord<Integer> element) {
            int key = element.getValue();
            numbers.computeIfAbsent(keyGroup(key), keyGroup -> new TreeMap<>())
                    .merge(key, 1L, Long::sum);
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, element.getTimestamp());
        }

        @Override
        public void onEventTime(InternalTimer<Integer, VoidNamespace> timer) {
            Long number = numbers.get(keyGroup(timer.getKey())).get(timer.getKey());
            output.collect(
                    new StreamRecord<>(
                            timer.getKey() + " at " + timer.getTimestamp() + " is " + number));
        }

        @Override
        public void onProcessingTime(InternalTimer<Integer, VoidNamespace> timer) {
            throw new AssertionError("nobody registers one");
        }
    }

    private static int keyGroup(int key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM);
    }

    private final class Subtask {
        final Counts operator = new Counts();
        final KeyedOneInputStreamOperatorTestHarness<Integer, Integer, String> harness;
        final MovableState state;

        Subtask() throws Exception {
            harness =
                    new KeyedOneInputStreamOperatorTestHarness<>(
                            operator,
                            element -> element,
                            TypeInformation.of(Integer.class),
                            MAX_PARALLELISM,
                            1,
                            0);
            opened.add(harness);
            harness.getStreamConfig().setOperatorName("counts");
            harness.open();
            StateSupport support = new StateSupport(sorted);
            assertThat(support.unsupported(List.of(operator))).isEmpty();
            state = support.movable(operator, CHUNK_BYTES);
        }

        List<String> outputs() {
            List<String> outputs = new ArrayList<>(harness.extractOutputValues());
            harness.getOutput().clear();
            return outputs;
        }
    }

    @Test
    void aKeyGroupMovesWithItsTimersAndGoesOnByTheClockOfItsSubscale() throws Exception {
        Subtask old = new Subtask();
        Subtask next = new Subtask();
        int keyGroup = keyGroup(KEY);
        old.harness.processElement(KEY, 10);
        old.harness.processElement(KEY, 20);
        old.harness.processElement(KEY + 1, 10);
        assertThat(keyGroup(KEY + 1)).isNotEqualTo(keyGroup);
        assertThat(old.state.mover().sizes(1).entries(keyGroup)).isEqualTo(1);
        assertThat(StateKeys.fault(old.state, MAX_PARALLELISM, 10)).isNull();

        DetachedKeyGroups detached = old.state.mover().detach(keyGroup);
        next.state.timers().open(SUBSCALE, keyGroup);
        next.state.timersInSnapshots(true);
        IncomingKeyGroup incoming = next.state.mover().begin(SUBSCALE, keyGroup);
        assertThatThrownBy(incoming::install).isInstanceOf(IllegalStateException.class);
        detached.write(
                keyGroup, (of, chunk, last) -> assertThat(incoming.add(chunk)).isEqualTo(last));
        incoming.install();

        old.harness.processWatermark(30);
        assertThat(old.outputs()).containsExactly((KEY + 1) + " at 10 is 1");
        next.state.timers().rescan();
        next.harness.processWatermark(30);
        assertThat(next.outputs()).isEmpty();
        next.state.timers().fire(SUBSCALE, 15);
        assertThat(next.outputs()).containsExactly("1 at 10 is 2");

        next.operator.hook.beforeSnapshot();
        assertThat(next.harness.numEventTimeTimers()).as("and a copy").isEqualTo(2);
        next.operator.hook.afterSnapshot();
        next.state.timers().withClock(15, () -> next.harness.processElement(KEY, 25));
        next.state.timers().fire(SUBSCALE, keyGroup, KeyBin.ALL, 20);
        assertThat(next.outputs()).containsExactly("1 at 20 is 3");
        next.state.timers().fire(SUBSCALE, 30);
        assertThat(next.outputs()).containsExactly("1 at 25 is 3");

        next.state.timers().join(SUBSCALE);
        next.state.timers().closeIfIdle();
        next.state.timersInSnapshots(false);
        assertThat(next.operator.hook).isNull();
        next.harness.processElement(KEY, 40);
        next.harness.processWatermark(40);
        assertThat(next.outputs()).containsExactly("1 at 40 is 4");
    }

    @Test
    void itsRoomGoesByWhatItCounts() throws Exception {
        Subtask subtask = new Subtask();
        subtask.harness.processElement(KEY, 10);
        long[] taken = subtask.state.room().taken(subtask.state.mover().sizes(1));
        assertThat(taken[keyGroup(KEY)]).isEqualTo(SortedKeyGroups.CHUNK_BYTES);
        assertThat(subtask.state.room().free(1)).isEqualTo(1_000 - SortedKeyGroups.CHUNK_BYTES);
    }

    @Test
    void aKeyThatIsInTheWrongKeyGroupIsFoundAsInAnyBackend() throws Exception {
        Subtask subtask = new Subtask();
        subtask.operator.numbers.put(
                (keyGroup(KEY) + 1) % MAX_PARALLELISM, new TreeMap<>(Map.of(KEY, 1L)));
        assertThat(StateKeys.fault(subtask.state, MAX_PARALLELISM, 10))
                .contains("belongs to " + keyGroup(KEY));
    }

    @Test
    void whatItSaysAgainstAnOperatorIsWhatPeopleRead() throws Exception {
        Subtask subtask = new Subtask();
        subtask.operator.frozen = true;
        assertThat(new StateSupport(sorted).unsupported(List.of(subtask.operator)))
                .contains("The operator \"counts\" has frozen numbers; thaw them.");
        assertThatThrownBy(() -> new StateSupport(sorted).movable(subtask.operator, CHUNK_BYTES))
                .hasMessageContaining("frozen");
    }

    @Test
    void onlyBackendsInTheListAreSupported() throws Exception {
        Subtask subtask = new Subtask();
        assertThat(new StateSupport(both).unsupported(List.of(subtask.operator))).isEmpty();
        assertThat(new StateSupport(StateBackends.ALL).unsupported(subtask.operator))
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .endsWith(
                                                "; only the hashmap state backend without changelog is supported."));
        assertThat(StateBackends.ALL.has("sorted")).isFalse();
        assertThat(both.has("sorted")).isTrue();
        assertThat(both.types()).isEqualTo("hashmap or the sorted");
    }

    @Test
    void handlesThatCannotBeCutAreGivenOutOnceAndThoseOfTheOtherBackendAreJoined() {
        KeyedStateHandle whole =
                new SortedBackend.Handle(new StateHandleID("files"), KeyGroupRange.of(0, 7));
        KeyGroupsStateHandle file =
                new KeyGroupsStateHandle(
                        new KeyGroupRangeOffsets(KeyGroupRange.of(4, 5), new long[] {1, 2}),
                        new ByteStreamStateHandle("stream", new byte[1]));
        assertThat(both.isDivisible(whole)).isFalse();
        assertThat(both.isDivisible(file)).isTrue();
        assertThat(sorted.isDivisible(file)).isFalse();

        List<KeyedStateHandle> joined =
                both.join(
                        List.of(
                                whole.getIntersection(KeyGroupRange.of(0, 1)),
                                whole.getIntersection(KeyGroupRange.of(4, 5)),
                                file.getIntersection(KeyGroupRange.of(4, 4)),
                                file.getIntersection(KeyGroupRange.of(5, 5))));
        assertThat(joined).hasSize(2).startsWith(whole);
        assertThat(joined.get(1).getKeyGroupRange()).isEqualTo(KeyGroupRange.of(4, 5));
    }
}
