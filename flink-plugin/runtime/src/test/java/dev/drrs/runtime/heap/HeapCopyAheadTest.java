package dev.drrs.runtime.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.runtime.state.AllStatesFunction.Event;
import dev.drrs.runtime.state.CopiedKeyGroups;
import dev.drrs.runtime.state.DetachedKeyGroups;
import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyedStateMover;
import dev.drrs.runtime.supported.StateBackends;
import dev.drrs.runtime.supported.StateSupport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What has been copied ahead, with what follows, is what there was at the detach. */
class HeapCopyAheadTest {

    private static final int MAX_PARALLELISM = 4;
    private static final int[] ALL = IntStream.range(0, MAX_PARALLELISM).toArray();
    private static final int KEYS = 200;

    private static final int ADD_IN_PLACE = 0;
    private static final int SET = 1;
    private static final int CLEAR = 2;
    private static final int READ = 3;
    private static final int TIMER = 4;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private KeyedOneInputStreamOperatorTestHarness<Integer, Event, String> old;
    private KeyedStateMover from;
    private KeyedStateMover to;
    private KeyedOneInputStreamOperatorTestHarness<Integer, Event, String> fresh;

    @BeforeEach
    void open() throws Exception {
        old = harness();
        fresh = harness();
        from = mover(old);
        to = mover(fresh);
        for (int key = 0; key < KEYS; key++) {
            does(key, SET, key);
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    @Test
    void aValueThatIsChangedInPlaceAndNeverUpdatedIsAmongTheChanges() throws Exception {
        Map<Integer, IncomingKeyGroup> copied = sent(from.copy(ALL));
        does(7, ADD_IN_PLACE, 1);
        moved(copied);
        assertThat(contents(fresh).get(7)).isEqualTo("[7, 1]");
        assertThat(contents(fresh)).hasSize(KEYS);
    }

    @Test
    void theCopyIsOfTheMomentWhenItWasMadeAndNotOfThatWhenItIsSent() throws Exception {
        CopiedKeyGroups copy = from.copy(ALL);
        for (int key = 0; key < KEYS; key++) {
            does(key, key % 2 == 0 ? ADD_IN_PLACE : CLEAR, 1);
        }
        moved(sent(copy));
        Map<Integer, String> contents = contents(fresh);
        assertThat(contents).hasSize(KEYS / 2).containsEntry(8, "[8, 1]").doesNotContainKey(9);
    }

    @Test
    void anEntryThatIsRemovedMeanwhileDoesNotComeBackThoughAnotherOneIsAdded() throws Exception {
        Map<Integer, IncomingKeyGroup> copied = sent(from.copy(ALL));
        does(5, CLEAR, 0);
        does(KEYS, SET, 1);
        does(6, CLEAR, 0);
        does(6, SET, 60);
        moved(copied);
        assertThat(contents(fresh))
                .hasSize(KEYS)
                .doesNotContainKey(5)
                .containsEntry(KEYS, "[1]")
                .containsEntry(6, "[60]");
    }

    @Test
    void aStateOfWhichAllEntriesAreRemovedIsNoMore() throws Exception {
        Map<Integer, IncomingKeyGroup> copied = sent(from.copy(ALL));
        for (int key = 0; key < KEYS; key++) {
            does(key, CLEAR, 0);
        }
        moved(copied);
        assertThat(fresh.numKeyedStateEntries()).isZero();
    }

    @Test
    void whatIsNotTouchedIsNotSentAgain() throws Exception {
        long all = bytes(from.copy(ALL));
        does(3, READ, 0);
        DetachedKeyGroups detached = from.detach(ALL);
        long rest = 0;
        for (int keyGroup : ALL) {
            long[] sum = new long[1];
            detached.write(keyGroup, (of, chunk, last) -> sum[0] += chunk.remaining());
            rest += sum[0];
        }
        assertThat(rest).isLessThan(all * 2 / 3); // descriptions of the state are sent again
    }

    @Test
    void checkpointsMeanwhileChangeNothing() throws Exception {
        old.snapshot(1, 1);
        Map<Integer, IncomingKeyGroup> copied = sent(from.copy(ALL));
        does(1, ADD_IN_PLACE, 1);
        old.snapshot(2, 2);
        does(2, ADD_IN_PLACE, 1);
        does(1, ADD_IN_PLACE, 2);
        moved(copied);
        assertThat(contents(fresh))
                .hasSize(KEYS)
                .containsEntry(1, "[1, 1, 2]")
                .containsEntry(2, "[2, 1]");
    }

    @Test
    void timersComeWithTheRest() throws Exception {
        does(1, TIMER, 50);
        Map<Integer, IncomingKeyGroup> copied = sent(from.copy(ALL));
        does(2, TIMER, 60);
        moved(copied);
        assertThat(fresh.numEventTimeTimers()).isEqualTo(2);
        assertThat(old.numEventTimeTimers()).isZero();
    }

    @Test
    void afterACopyHasBeenReleasedAllIsSent() throws Exception {
        CopiedKeyGroups copy = from.copy(ALL);
        does(1, ADD_IN_PLACE, 1);
        copy.release();
        does(2, ADD_IN_PLACE, 1);
        moved(new TreeMap<>());
        assertThat(contents(fresh))
                .hasSize(KEYS)
                .containsEntry(1, "[1, 1]")
                .containsEntry(2, "[2, 1]");
    }

    @Test
    void aReleasedCopyMayBeFollowedByAnotherOne() throws Exception {
        from.copy(ALL).release();
        does(1, ADD_IN_PLACE, 1);
        Map<Integer, IncomingKeyGroup> copied = sent(from.copy(ALL));
        does(1, ADD_IN_PLACE, 2);
        moved(copied);
        assertThat(contents(fresh)).hasSize(KEYS).containsEntry(1, "[1, 1, 2]");
    }

    @Test
    void aSecondCopyOfAKeyGroupIsRefused() {
        from.copy(2);
        assertThatThrownBy(() -> from.copy(1, 2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Key group 2");
    }

    @Test
    void whatFollowsACopyIsRefusedWithoutIt() throws Exception {
        from.copy(ALL);
        DetachedKeyGroups detached = from.detach(ALL);
        IncomingKeyGroup without = to.begin(7, 0);
        assertThatThrownBy(() -> detached.write(0, (of, chunk, last) -> without.add(chunk)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Key group 0 of subscale 7");
    }

    @Test
    void aCopyAloneIsNoKeyGroup() throws Exception {
        Map<Integer, IncomingKeyGroup> copied = sent(from.copy(ALL));
        assertThat(copied.get(0).isComplete()).isFalse();
        assertThatThrownBy(() -> copied.get(0).install()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void ofKeyGroupsWithoutStateNothingIsSentAhead() throws Exception {
        assertThat(sent(mover(harness()).copy(ALL))).isEmpty();
    }

    // ---- helpers

    private void does(int key, int what, int payload) throws Exception {
        old.processElement(new Event(key, what, payload), 0);
    }

    private static List<ByteBuffer> rest(DetachedKeyGroups detached, int keyGroup)
            throws Exception {
        List<ByteBuffer> chunks = new ArrayList<>();
        detached.write(keyGroup, (of, chunk, last) -> chunks.add(chunk));
        return chunks;
    }

    private Map<Integer, IncomingKeyGroup> sent(CopiedKeyGroups copy) throws Exception {
        Map<Integer, IncomingKeyGroup> arriving = new TreeMap<>();
        for (int keyGroup : ALL) {
            copy.write(
                    keyGroup,
                    (of, chunk, last) ->
                            assertThat(arriving.computeIfAbsent(of, g -> to.begin(7, g)).add(chunk))
                                    .isFalse());
        }
        return arriving;
    }

    private static long bytes(CopiedKeyGroups copy) throws Exception {
        long[] sum = new long[1];
        for (int keyGroup : ALL) {
            copy.write(keyGroup, (of, chunk, last) -> sum[0] += chunk.remaining());
        }
        return sum[0];
    }

    private void moved(Map<Integer, IncomingKeyGroup> copied) throws Exception {
        DetachedKeyGroups detached = from.detach(ALL);
        for (int keyGroup : ALL) {
            IncomingKeyGroup incoming =
                    copied.computeIfAbsent(keyGroup, absent -> to.begin(7, keyGroup));
            for (ByteBuffer chunk : rest(detached, keyGroup)) {
                incoming.add(chunk);
            }
            assertThat(incoming.entries()).isEqualTo(detached.entries(keyGroup));
            incoming.install();
        }
        assertThat(old.numKeyedStateEntries()).isZero();
    }

    /** By key, what a harness has. */
    private static Map<Integer, String> contents(
            KeyedOneInputStreamOperatorTestHarness<Integer, Event, String> harness)
            throws Exception {
        Map<Integer, String> contents = new TreeMap<>();
        for (int key = 0; key <= KEYS; key++) {
            harness.getOutput().clear();
            harness.processElement(new Event(key, READ, 0), 0);
            String text = harness.extractOutputValues().get(0);
            if (!text.equals("null")) {
                contents.put(key, text);
            }
        }
        return contents;
    }

    private KeyedOneInputStreamOperatorTestHarness<Integer, Event, String> harness()
            throws Exception {
        KeyedOneInputStreamOperatorTestHarness<Integer, Event, String> harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new KeyedProcessOperator<>(new Lists()),
                        Event::key,
                        TypeInformation.of(Integer.class),
                        MAX_PARALLELISM,
                        1,
                        0);
        opened.add(harness);
        harness.open();
        return harness;
    }

    private static KeyedStateMover mover(KeyedOneInputStreamOperatorTestHarness<?, ?, ?> harness) {
        return new StateSupport(StateBackends.ALL).movable(harness.getOperator(), 64).mover();
    }

    /** Keeps a list in a value, and adds to it without a word. */
    private static final class Lists extends KeyedProcessFunction<Integer, Event, String> {

        private static final long serialVersionUID = 1L;

        private transient ValueState<List<Integer>> list;

        @Override
        public void open(OpenContext context) {
            list =
                    getRuntimeContext()
                            .getState(new ValueStateDescriptor<>("list", Types.LIST(Types.INT)));
        }

        @Override
        public void processElement(Event event, Context context, Collector<String> out)
                throws Exception {
            switch (event.what()) {
                case ADD_IN_PLACE -> list.value().add(event.payload());
                case SET -> list.update(new ArrayList<>(List.of(event.payload())));
                case CLEAR -> list.clear();
                case TIMER -> context.timerService().registerEventTimeTimer(event.payload());
                default -> out.collect(String.valueOf(list.value()));
            }
        }
    }
}
