package dev.drrs.runtime.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.flink.TimerAccess;
import dev.drrs.runtime.supported.StateBackends;
import dev.drrs.runtime.supported.StateSupport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SubscaleTimersTest {

    private static final int MAX_PARALLELISM = 8;

    /** Two keys in different key groups. */
    private static final int MOVED = 1;

    private static final int OWN = 2;

    private Subtask next;

    private record Subtask(
            KeyedOneInputStreamOperatorTestHarness<Integer, Command, String> harness,
            KeyedStateMover mover,
            SubscaleTimers timers) {

        InternalTimerServiceImpl<?, ?> service(String name) {
            return TimerAccess.timerServices(
                            TimerServices.manager(KeyedOperator.of(harness.getOperator())))
                    .get(name);
        }

        List<String> outputs() {
            List<String> outputs = new ArrayList<>(harness.extractOutputValues());
            harness.getOutput().clear();
            return outputs;
        }
    }

    /** Sets an event-time timer in a service, or lets one fail that is due later. */
    private record Command(int key, String service, long time, boolean failing) {}

    private final List<AutoCloseable> opened = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        assertThat(keyGroup(MOVED)).isNotEqualTo(keyGroup(OWN));
        next = subtask();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private Subtask subtask() throws Exception {
        KeyedOneInputStreamOperatorTestHarness<Integer, Command, String> harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new TimersOperator(),
                        Command::key,
                        TypeInformation.of(Integer.class),
                        MAX_PARALLELISM,
                        1,
                        0);
        opened.add(harness);
        harness.open();
        MovableState state =
                new StateSupport(StateBackends.ALL).movable(harness.getOperator(), 1024);
        return new Subtask(harness, state.mover(), state.timers());
    }

    private static int keyGroup(int key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM);
    }

    private static void timer(Subtask at, int key, String service, long time) throws Exception {
        at.harness.processElement(new Command(key, service, time, false), 0);
    }

    /** Advances the main clock, as a task does: new services are looked for before. */
    private static void watermark(Subtask at, long time) throws Exception {
        at.timers.rescan();
        at.harness.processWatermark(time);
    }

    private static void move(Subtask from, Subtask to, int key) throws Exception {
        DetachedKeyGroups detached = from.mover.detach(keyGroup(key));
        IncomingKeyGroup incoming = to.mover.begin(1, keyGroup(key));
        detached.write(keyGroup(key), (of, chunk, last) -> incoming.add(chunk));
        incoming.install();
    }

    @Test
    void timersOfASubscaleFireByItsClockAndTheOthersByTheMainClock() throws Exception {
        next.timers.open(1, keyGroup(MOVED));
        timer(next, MOVED, "a", 10);
        timer(next, MOVED, "a", 20);
        timer(next, OWN, "a", 10);

        watermark(next, 15);
        assertThat(next.outputs()).containsExactly("2 a at 10 clocks a=15");
        next.timers.fire(1, 10);
        assertThat(next.outputs()).containsExactly("1 a at 10 clocks a=10");
        assertThat(next.service("a").currentWatermark()).isEqualTo(15);
        next.timers.fire(1, 15);
        next.timers.join(1);
        next.timers.closeIfIdle();
        assertThat(next.outputs()).isEmpty();
        watermark(next, 20);
        assertThat(next.outputs()).containsExactly("1 a at 20 clocks a=20");
    }

    @Test
    void timersOfABinThatHasComeFireWithoutThoseOfOtherBins() throws Exception {
        KeyBin bin = new KeyBin(KeyBin.numberOf(MOVED, 2), 2);
        int other =
                IntStream.iterate(MOVED + 1, key -> key + 1)
                        .filter(key -> keyGroup(key) == keyGroup(MOVED) && !bin.has(key))
                        .findFirst()
                        .getAsInt();
        next.timers.open(1, keyGroup(MOVED));
        timer(next, MOVED, "a", 10);
        timer(next, other, "a", 10);
        next.timers.fire(1, keyGroup(MOVED), bin, 10);
        assertThat(next.outputs()).containsExactly("1 a at 10 clocks a=10");
        next.timers.fire(1, 11);
        assertThat(next.outputs()).containsExactly(other + " a at 10 clocks a=11");
        next.timers.join(1);
    }

    @Test
    void theOperatorsOwnQueueIsBackWhenNoSubscaleIsOpen() throws Exception {
        timer(next, MOVED, "a", 10);
        Object original = TimerAccess.eventTimeTimers(next.service("a"));
        next.timers.open(1, keyGroup(MOVED));
        next.timers.open(2, keyGroup(OWN));
        assertThat((Object) TimerAccess.eventTimeTimers(next.service("a"))).isNotSameAs(original);
        next.timers.join(1);
        next.timers.closeIfIdle();
        assertThat((Object) TimerAccess.eventTimeTimers(next.service("a"))).isNotSameAs(original);
        next.timers.join(2);
        next.timers.closeIfIdle();

        assertThat((Object) TimerAccess.eventTimeTimers(next.service("a"))).isSameAs(original);
        assertThat(next.harness.numEventTimeTimers()).isEqualTo(1);
        assertThat(next.timers.isIdle()).isTrue();
    }

    @Test
    void everyServiceHasTheOldClockUntilItIsItsTurn() throws Exception {
        next.timers.open(1, keyGroup(MOVED));
        timer(next, MOVED, "a", 1);
        timer(next, MOVED, "b", 1);
        next.timers.fire(1, 3);
        next.outputs();
        timer(next, MOVED, "a", 5);
        timer(next, MOVED, "b", 5);
        next.timers.fire(1, 9);

        assertThat(next.outputs())
                .containsExactly("1 a at 5 clocks a=9 b=3", "1 b at 5 clocks a=9 b=9");
    }

    @Test
    void theMainClockIsBackAfterATimerOrAnElementThatFails() throws Exception {
        next.timers.open(1, keyGroup(MOVED));
        timer(next, OWN, "a", 100);
        watermark(next, 7);
        next.harness.processElement(new Command(MOVED, "a", 3, true), 0);

        assertThatThrownBy(() -> next.timers.fire(1, 4)).hasMessage("timer");
        assertThat(next.service("a").currentWatermark()).isEqualTo(7);
        timer(next, OWN, "a", 200);
        watermark(next, 100);
        assertThat(next.outputs()).hasSize(1);
        assertThatThrownBy(
                        () ->
                                next.timers.withClock(
                                        4,
                                        () -> {
                                            throw new IOException(
                                                    "clock "
                                                            + next.service("a").currentWatermark());
                                        }))
                .hasMessage("clock 4");
        assertThat(next.service("a").currentWatermark()).isEqualTo(100);
    }

    @Test
    void aServiceThatIsNewWhileASubscaleIsOpenIsSplitAsWell() throws Exception {
        Subtask old = subtask();
        timer(old, MOVED, "late", 10);
        timer(old, MOVED, "late", 30);
        next.timers.open(1, keyGroup(MOVED));
        move(old, next, MOVED);
        assertThat(next.service("late")).isNull();
        next.timers.fire(1, 5);
        // Here the operator asks for the service for the first time.
        timer(next, OWN, "late", 10);

        watermark(next, 20);
        assertThat(next.outputs()).containsExactly("2 late at 10 clocks late=20");
        next.timers.fire(1, 15);
        assertThat(next.outputs()).containsExactly("1 late at 10 clocks late=15");
        next.timers.fire(1, 20);
        next.timers.join(1);
        next.timers.closeIfIdle();
        watermark(next, 30);
        assertThat(next.outputs()).containsExactly("1 late at 30 clocks late=30");
    }

    @Test
    void timersOfAServiceThatNobodyAsksForAreInTheNextSnapshotOrMove() throws Exception {
        Subtask old = subtask();
        Subtask third = subtask();
        timer(old, MOVED, "late", 10);
        next.timers.open(1, keyGroup(MOVED));
        move(old, next, MOVED);
        next.timers.join(1);
        next.timers.closeIfIdle();
        watermark(next, 50);
        move(next, third, MOVED);
        timer(third, OWN, "late", 99);
        watermark(third, 50);

        assertThat(third.outputs()).containsExactly("1 late at 10 clocks late=50");
    }

    @Test
    void separateTimersAreInASnapshotAndSeparateAgainAfterIt() throws Exception {
        next.timers.open(1, keyGroup(MOVED));
        timer(next, MOVED, "a", 10);
        timer(next, OWN, "a", 10);
        next.timers.beforeSnapshot();
        var state = next.harness.snapshot(1, 1);
        next.timers.afterSnapshot();

        watermark(next, 20);
        assertThat(next.outputs()).containsExactly("2 a at 10 clocks a=20");
        next.timers.fire(1, 20);
        assertThat(next.outputs()).containsExactly("1 a at 10 clocks a=20");

        KeyedOneInputStreamOperatorTestHarness<Integer, Command, String> restored =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new TimersOperator(),
                        Command::key,
                        TypeInformation.of(Integer.class),
                        MAX_PARALLELISM,
                        1,
                        0);
        opened.add(restored);
        restored.initializeState(state);
        restored.open();
        restored.processElement(new Command(OWN, "a", 99, false), 0);
        restored.processWatermark(20);
        assertThat(restored.extractOutputValues())
                .containsExactlyInAnyOrder("1 a at 10 clocks a=20", "2 a at 10 clocks a=20");
    }

    @Test
    void deletingATimerFindsItWhereverItIs() throws Exception {
        timer(next, MOVED, "a", 10);
        next.timers.open(1, keyGroup(MOVED));
        timer(next, MOVED, "a", -10);
        next.timers.fire(1, 50);

        assertThat(next.outputs()).isEmpty();
        assertThat(next.harness.numEventTimeTimers()).isZero();
    }

    @Test
    void aKeyGroupIsInOneOpenSubscaleAtMost() {
        next.timers.open(1, 3, 4);

        assertThatThrownBy(() -> next.timers.open(2, 4)).hasMessageContaining("open subscale 1");
        assertThatThrownBy(() -> next.timers.open(1, 5)).hasMessageContaining("open already");
        assertThatThrownBy(() -> next.timers.open(3)).hasMessageContaining("no key group");
        assertThatThrownBy(() -> next.timers.join(9)).hasMessageContaining("not open");
        assertThat(next.timers.subscaleOf(4)).isEqualTo(1);
        assertThat(next.timers.subscaleOf(5)).isNull();
    }

    /**
     * Asks for its timer services when it needs them. A negative time deletes the timer of the
     * positive one.
     */
    private static final class TimersOperator extends AbstractStreamOperator<String>
            implements OneInputStreamOperator<Command, String> {

        private final List<String> names = new ArrayList<>();
        private final List<InternalTimerService<VoidNamespace>> services = new ArrayList<>();
        private boolean failing;

        @Override
        public void processElement(StreamRecord<Command> element) {
            Command command = element.getValue();
            failing = command.failing;
            if (!names.contains(command.service)) {
                names.add(command.service);
                services.add(
                        getInternalTimerService(
                                command.service,
                                VoidNamespaceSerializer.INSTANCE,
                                new Firing(command.service)));
            }
            InternalTimerService<VoidNamespace> service =
                    services.get(names.indexOf(command.service));
            if (command.time < 0) {
                service.deleteEventTimeTimer(VoidNamespace.INSTANCE, -command.time);
            } else {
                service.registerEventTimeTimer(VoidNamespace.INSTANCE, command.time);
            }
        }

        private final class Firing implements Triggerable<Integer, VoidNamespace> {
            private final String name;

            Firing(String name) {
                this.name = name;
            }

            @Override
            public void onEventTime(InternalTimer<Integer, VoidNamespace> timer) throws Exception {
                if (failing) {
                    throw new IOException("timer");
                }
                StringBuilder text =
                        new StringBuilder(
                                timer.getKey()
                                        + " "
                                        + name
                                        + " at "
                                        + timer.getTimestamp()
                                        + " clocks");
                for (int i = 0; i < names.size(); i++) {
                    text.append(" ")
                            .append(names.get(i))
                            .append("=")
                            .append(services.get(i).currentWatermark());
                }
                output.collect(new StreamRecord<>(text.toString()));
            }

            @Override
            public void onProcessingTime(InternalTimer<Integer, VoidNamespace> timer) {
                throw new UnsupportedOperationException();
            }
        }
    }
}
