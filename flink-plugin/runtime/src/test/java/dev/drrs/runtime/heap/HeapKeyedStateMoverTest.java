package dev.drrs.runtime.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.flink.HeapStateAccess;
import dev.drrs.runtime.state.AllStatesFunction;
import dev.drrs.runtime.state.AllStatesFunction.Event;
import dev.drrs.runtime.state.DetachedKeyGroups;
import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.KeyedOperator;
import dev.drrs.runtime.state.KeyedStateMover;
import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.state.StateMismatchException;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.state.SubscaleTimers;
import dev.drrs.runtime.supported.StateBackends;
import dev.drrs.runtime.supported.StateSupport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.stream.IntStream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HeapKeyedStateMoverTest {

    private static final int MAX_PARALLELISM = 8;
    private static final int[] ALL = IntStream.range(0, MAX_PARALLELISM).toArray();
    private static final int BIG = 6;
    private static final int TIMER = 8;
    private static final int PROCESSING_TIMER = 10;

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private KeyedOneInputStreamOperatorTestHarness<Integer, Event, String> harness(
            KeyedProcessFunction<Integer, Event, String> function, OperatorSubtaskState state)
            throws Exception {
        KeyedOneInputStreamOperatorTestHarness<Integer, Event, String> harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new KeyedProcessOperator<>(function),
                        Event::key,
                        TypeInformation.of(Integer.class),
                        MAX_PARALLELISM,
                        1,
                        0);
        opened.add(harness);
        harness.setup();
        if (state != null) {
            harness.initializeState(state);
        }
        harness.open();
        return harness;
    }

    private KeyedOneInputStreamOperatorTestHarness<Integer, Event, String> harness()
            throws Exception {
        return harness(new AllStatesFunction(null, true), null);
    }

    private static MovableState state(KeyedOneInputStreamOperatorTestHarness<?, ?, ?> harness) {
        return new StateSupport(StateBackends.ALL).movable(harness.getOperator(), 1024);
    }

    private static KeyedStateMover mover(KeyedOneInputStreamOperatorTestHarness<?, ?, ?> harness) {
        return state(harness).mover();
    }

    private static int keyGroup(int key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM);
    }

    private static List<ByteBuffer> chunks(DetachedKeyGroups detached, int keyGroup)
            throws Exception {
        List<ByteBuffer> chunks = new ArrayList<>();
        detached.write(keyGroup, (of, chunk, last) -> chunks.add(chunk));
        return chunks;
    }

    private static IncomingKeyGroup incoming(
            KeyedStateMover to, DetachedKeyGroups detached, int keyGroup) throws Exception {
        IncomingKeyGroup incoming = to.begin(7, keyGroup);
        for (ByteBuffer chunk : chunks(detached, keyGroup)) {
            incoming.add(chunk);
        }
        return incoming;
    }

    @Test
    void aBinHasItsKeysAndTheirTimersOnlyAndOthersComeToIt() throws Exception {
        var old = harness();
        int keyGroup = keyGroup(1);
        int[] keys = IntStream.range(0, 1000).filter(key -> keyGroup(key) == keyGroup).toArray();
        for (int key : keys) {
            for (int what = 0; what <= PROCESSING_TIMER; what++) {
                old.processElement(new Event(key, what, key), 0);
            }
        }
        int entries = old.numKeyedStateEntries();
        int timers = old.numEventTimeTimers();
        DetachedKeyGroups detached = mover(old).detach(keyGroup);
        long all = detached.entries(keyGroup);
        var next = harness();
        KeyedStateMover to = mover(next);
        long arrived = 0;
        for (int number = 0; number < 4; number++) {
            KeyBin bin = new KeyBin(number, 4);
            IncomingKeyGroup incoming = to.begin(7, keyGroup, bin);
            detached.write(keyGroup, bin, (of, chunk, last) -> incoming.add(chunk));
            assertThat(incoming.entries()).isPositive().isLessThan(all / 2);
            arrived += incoming.entries();
            incoming.install();
            IncomingKeyGroup again = to.begin(7, keyGroup, bin);
            detached.write(keyGroup, bin, (of, chunk, last) -> again.add(chunk));
            assertThatThrownBy(again::install).isInstanceOf(IllegalStateException.class);
            detached.release(keyGroup, bin);
            assertThatThrownBy(() -> detached.write(keyGroup, bin, (of, chunk, last) -> {}))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(arrived).isEqualTo(all);
        assertThat(next.numKeyedStateEntries()).isEqualTo(entries);
        assertThat(next.numEventTimeTimers()).isEqualTo(timers);
    }

    @Test
    void itIsKnownWhenTheFirstTimersOfEachBinAreDue() throws Exception {
        var old = harness();
        old.processWatermark(new Watermark(100));
        int[] keys = IntStream.range(0, 1000).filter(key -> keyGroup(key) == keyGroup(1)).toArray();
        int first = keyOfBin(keys, 0);
        int second = keyOfBin(keys, 1);
        old.processElement(new Event(first, TIMER, 7), 0);
        old.processElement(new Event(first, TIMER, 3), 0);
        old.processElement(new Event(second, PROCESSING_TIMER, 9), 0);
        long never = Long.MAX_VALUE;
        assertThat(mover(old).detach(keyGroup(1)).firstTimers(keyGroup(1), 3))
                .containsExactly(104, never, never, 10, never, never);
    }

    private static int keyOfBin(int[] keys, int bin) {
        return Arrays.stream(keys).filter(new KeyBin(bin, 3)::has).findFirst().orElseThrow();
    }

    @Test
    void nothingIsLeftAfterADetachAndItsSizesAreThoseOfBefore() throws Exception {
        var old = harness();
        KeyedStateMover mover = mover(old);
        for (int key = 0; key < 50; key++) {
            for (int what = 0; what <= PROCESSING_TIMER; what++) {
                old.processElement(new Event(key, what, key), 0);
            }
        }
        StateSizes before = mover.sizes(8);
        DetachedKeyGroups detached = mover.detach(ALL);

        assertThat(
                        old.numKeyedStateEntries()
                                + old.numEventTimeTimers()
                                + old.numProcessingTimeTimers())
                .isZero();
        StateSizes after = mover.sizes(8);
        for (int keyGroup : ALL) {
            assertThat(detached.entries(keyGroup)).isEqualTo(before.entries(keyGroup)).isPositive();
            assertThat(after.entries(keyGroup)).isZero();
            assertThat(after.bytes(keyGroup)).isZero();
            long sent = chunks(detached, keyGroup).stream().mapToLong(ByteBuffer::remaining).sum();
            assertThat(detached.estimateBytes(keyGroup)).isBetween(sent / 2, sent * 2);
            assertThat(before.bytes(keyGroup)).isBetween(sent / 4, sent * 2);
        }
    }

    @Test
    void aKeyGroupWithoutStateIsOneSmallChunk() throws Exception {
        DetachedKeyGroups detached = mover(harness()).detach(3);

        List<ByteBuffer> chunks = chunks(detached, 3);
        assertThat(chunks).hasSize(1);
        IncomingKeyGroup incoming = mover(harness()).begin(1, 3);
        assertThat(incoming.add(chunks.get(0))).isTrue();
        incoming.install();
        assertThat(incoming.entries()).isZero();
    }

    @Test
    void anEntryLargerThanAChunkIsCutAndPutTogetherAgain() throws Exception {
        var old = harness();
        var next = harness();
        old.processElement(new Event(1, BIG, 90_000), 0);
        DetachedKeyGroups detached = mover(old).detach(keyGroup(1));
        List<ByteBuffer> chunks = chunks(detached, keyGroup(1));

        assertThat(chunks).hasSizeGreaterThan(1000).allMatch(chunk -> chunk.remaining() <= 1024);
        incoming(mover(next), detached, keyGroup(1)).install();
        next.processElement(new Event(1, BIG, 0), 0);
        assertThat(next.extractOutputValues()).singleElement().asString().contains("big 1800500o");
    }

    @Test
    void writingTwiceGivesTheSameAndNothingAfterARelease() throws Exception {
        var old = harness();
        old.processElement(new Event(1, 0, 5), 0);
        DetachedKeyGroups detached = mover(old).detach(keyGroup(1));

        assertThat(chunks(detached, keyGroup(1))).isEqualTo(chunks(detached, keyGroup(1)));
        detached.release(keyGroup(1));
        assertThatThrownBy(() -> chunks(detached, keyGroup(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keyGroupsOutsideOfTheRangeOrNamedTwiceAreNotDetached() throws Exception {
        var old = harness();
        old.processElement(new Event(1, 0, 5), 0);
        KeyedStateMover mover = mover(old);

        assertThatThrownBy(() -> mover.detach(keyGroup(1), MAX_PARALLELISM))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mover.detach(keyGroup(1), keyGroup(1)))
                .hasMessageContaining("twice");
        assertThat(old.numKeyedStateEntries()).isEqualTo(1);
    }

    @Test
    void anInstalledMapCopiesWithTheSerializerOfTheOperatorAndNotWithOneOfATransferThread()
            throws Exception {
        var old = harness();
        var next = harness();
        old.processElement(new Event(1, 0, 5), 0);
        incoming(mover(next), mover(old).detach(keyGroup(1)), keyGroup(1)).install();

        StateTable<?, ?, ?> table =
                HeapStateAccess.tables(
                                (HeapKeyedStateBackend<?>)
                                        KeyedOperator.of(next.getOperator()).backend())
                        .get("value");
        Object map = table.getState()[keyGroup(1)];
        assertThat(((CopyOnWriteStateMap<?, ?, ?>) map).getStateSerializer())
                .isSameAs(table.getStateSerializer());
    }

    @Test
    void overdueProcessingTimeTimersFireOnceSoonAfterTheInstall() throws Exception {
        var old = harness();
        var next = harness();
        next.setProcessingTime(1000);
        old.processElement(new Event(1, PROCESSING_TIMER, 3), 0);
        DetachedKeyGroups detached = mover(old).detach(keyGroup(1));
        incoming(mover(next), detached, keyGroup(1)).install();

        // The least that the test's time service needs to make due calls.
        next.setProcessingTime(1001);
        assertThat(next.extractOutputValues())
                .singleElement()
                .asString()
                .contains("PROCESSING_TIME at 4");
        next.setProcessingTime(2000);
        old.setProcessingTime(2000);
        assertThat(next.extractOutputValues()).hasSize(1);
        assertThat(old.extractOutputValues())
                .singleElement()
                .asString()
                .contains("processing timer");
    }

    @Test
    void aProcessingTimeTimerThatComesEarlierThanTheOwnOnesFiresInTime() throws Exception {
        var old = harness();
        var next = harness();
        next.processElement(new Event(2, PROCESSING_TIMER, 29), 0);
        old.processElement(new Event(1, PROCESSING_TIMER, 9), 0);
        incoming(mover(next), mover(old).detach(keyGroup(1)), keyGroup(1)).install();
        next.getOutput().clear();

        next.setProcessingTime(10);
        assertThat(next.extractOutputValues())
                .singleElement()
                .asString()
                .startsWith("1|PROCESSING_TIME at 10");
        next.setProcessingTime(30);
        assertThat(next.extractOutputValues()).hasSize(2);
    }

    @Test
    void aSnapshotThatIsBeingWrittenKeepsWhatItSawWhileTheKeyGroupGoesAndComesBack()
            throws Exception {
        var old = harness();
        var next = harness();
        for (int what = 0; what < 10; what++) {
            old.processElement(new Event(1, what == 7 ? 0 : what, 20), 0);
        }
        HeapKeyedStateBackend<Integer> backend =
                (HeapKeyedStateBackend<Integer>) old.getOperator().<Integer>getKeyedStateBackend();
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                backend.snapshot(
                        1,
                        1,
                        new MemCheckpointStreamFactory(1 << 20),
                        CheckpointOptions.forCheckpointWithDefaultLocation());
        KeyedStateMover oldMover = mover(old);
        KeyedStateMover nextMover = mover(next);
        incoming(nextMover, oldMover.detach(ALL), keyGroup(1)).install();
        next.processElement(new Event(1, 4, 1000), 0);
        incoming(oldMover, nextMover.detach(ALL), keyGroup(1)).install();
        old.processElement(new Event(1, 4, 1000), 0);
        snapshot.run();

        var restored =
                harness(
                        new AllStatesFunction(null, true),
                        OperatorSubtaskState.builder()
                                .setManagedKeyedState(snapshot.get().getJobManagerOwnedSnapshot())
                                .build());
        restored.processElement(new Event(1, 4, 1), 0);
        old.processElement(new Event(1, 4, 1), 0);
        assertThat(restored.extractOutputValues())
                .singleElement()
                .asString()
                .contains("reducing 21 ");
        assertThat(old.extractOutputValues()).last().asString().contains("reducing 2021 ");
    }

    @Test
    void damagedOrMisplacedChunksAreRefusedInPlainWords() throws Exception {
        var old = harness();
        old.processElement(new Event(1, BIG, 90), 0);
        DetachedKeyGroups detached = mover(old).detach(ALL);
        KeyedStateMover next = mover(harness());
        List<ByteBuffer> chunks = chunks(detached, keyGroup(1));

        assertThatThrownBy(
                        () ->
                                next.begin(1, keyGroup(1))
                                        .add(ByteBuffer.wrap(new byte[] {-1, 0, 0, 0, 1})))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("damaged");
        assertThatThrownBy(() -> next.begin(1, keyGroup(1)).add(chunks.get(1).duplicate()))
                .isInstanceOf(IOException.class);
        int other = (keyGroup(1) + 1) % MAX_PARALLELISM;
        assertThatThrownBy(() -> next.begin(1, other).add(chunks.get(0).duplicate()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("are those of key group " + keyGroup(1));
        IncomingKeyGroup half = next.begin(1, keyGroup(1));
        half.add(chunks.get(0).duplicate());
        assertThatThrownBy(half::install)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not complete");
    }

    @Test
    void aKeyGroupIsNotInstalledTwiceNorOverStateThatIsThere() throws Exception {
        var old = harness();
        old.processElement(new Event(1, 0, 5), 0);
        DetachedKeyGroups detached = mover(old).detach(keyGroup(1));
        KeyedStateMover next = mover(harness());
        IncomingKeyGroup first = incoming(next, detached, keyGroup(1));
        IncomingKeyGroup second = incoming(next, detached, keyGroup(1));
        first.install();

        assertThatThrownBy(first::install).hasMessageContaining("before");
        assertThatThrownBy(second::install).hasMessageContaining("\"value\" already");
    }

    @Test
    void stateThatDoesNotFitIsRefusedAndNothingIsChanged() throws Exception {
        var old = harness(new OneState(new ValueStateDescriptor<>("one", Integer.class)), null);
        old.processElement(new Event(1, 0, 5), 0);
        DetachedKeyGroups detached = mover(old).detach(keyGroup(1));

        var otherType =
                harness(new OneState(new ListStateDescriptor<>("one", Integer.class)), null);
        IncomingKeyGroup first = incoming(mover(otherType), detached, keyGroup(1));
        assertThatThrownBy(first::install)
                .isInstanceOf(StateMismatchException.class)
                .hasMessage(
                        "State \"one\" is of type VALUE at the old owner and of type LIST at the new owner.");
        assertThat(otherType.numKeyedStateEntries()).isZero();

        var otherSerializer =
                harness(new OneState(new ValueStateDescriptor<>("one", String.class)), null);
        IncomingKeyGroup second = incoming(mover(otherSerializer), detached, keyGroup(1));
        assertThatThrownBy(second::install)
                .isInstanceOf(StateMismatchException.class)
                .hasMessageContaining("The serializer of state \"one\" at the new owner");
        assertThat(otherSerializer.numKeyedStateEntries()).isZero();
    }

    @Test
    void aKeyGroupOfAnOpenSubscaleIsNotDetached() throws Exception {
        var next = harness();
        MovableState state = state(next);
        KeyedStateMover mover = state.mover();
        SubscaleTimers timers = state.timers();
        timers.open(1, 2, 3);

        assertThatThrownBy(() -> mover.detach(3)).isInstanceOf(IllegalStateException.class);
        timers.join(1);
        assertThat(mover.detach(3).keyGroups()).containsExactly(3);
    }

    /** Has one state, of the kind it is given. */
    private static final class OneState extends KeyedProcessFunction<Integer, Event, String> {
        private final StateDescriptor<? extends State, ?> descriptor;
        private transient ValueState<Integer> value;

        OneState(StateDescriptor<? extends State, ?> descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        @SuppressWarnings("unchecked")
        public void open(OpenContext context) {
            if (descriptor instanceof ListStateDescriptor<?> list) {
                getRuntimeContext().getListState(list);
            } else {
                value = getRuntimeContext().getState((ValueStateDescriptor<Integer>) descriptor);
            }
        }

        @Override
        public void processElement(Event event, Context context, Collector<String> out)
                throws Exception {
            value.update(event.payload());
        }
    }
}
