package dev.drrs.runtime.supported;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.runtime.state.AllStatesFunction;
import dev.drrs.runtime.state.AllStatesFunction.Event;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StateSupportTest {

    private final StateSupport support = new StateSupport(StateBackends.ALL);

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private static class Counting extends KeyedProcessOperator<Integer, Event, String> {
        Counting() {
            super(new AllStatesFunction(null, false));
        }
    }

    private StreamOperator<?> keyed(Counting operator, boolean interruptible) throws Exception {
        KeyedOneInputStreamOperatorTestHarness<Integer, Event, String> harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        operator, Event::key, TypeInformation.of(Integer.class), 8, 1, 0);
        opened.add(harness);
        harness.getStreamConfig().setOperatorName("running count");
        if (interruptible) {
            harness.getEnvironment()
                    .getJobConfiguration()
                    .set(CheckpointingOptions.ENABLE_UNALIGNED, true)
                    .set(CheckpointingOptions.ENABLE_UNALIGNED_INTERRUPTIBLE_TIMERS, true)
                    .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
        }
        harness.open();
        return harness.getOperator();
    }

    private StreamOperator<?> stateless() throws Exception {
        OneInputStreamOperatorTestHarness<Integer, Integer> harness =
                new OneInputStreamOperatorTestHarness<>(new StreamMap<>((Integer value) -> value));
        opened.add(harness);
        harness.open();
        return harness.getOperator();
    }

    @Test
    void aKeyedOperatorOnTheHeapIsSupportedAlsoInAChainWithOthers() throws Exception {
        assertThat(support.unsupported(List.of(keyed(new Counting(), false), stateless())))
                .isEmpty();
    }

    @Test
    void aChainWithoutKeyedStateHasNothingToMove() throws Exception {
        assertThat(support.unsupported(List.of(stateless())))
                .hasValueSatisfying(text -> assertThat(text).contains("nothing to move"));
        assertThatThrownBy(() -> support.movable(stateless(), 1024))
                .hasMessageContaining("no keyed state");
    }

    @Test
    void twoKeyedOperatorsInOneChainAreRefused() throws Exception {
        assertThat(
                        support.unsupported(
                                List.of(
                                        keyed(new Counting(), false),
                                        keyed(new Counting(), false))))
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .contains("\"running count\"")
                                        .contains("both keyed"));
    }

    @Test
    void anotherStateBackendIsNamed() throws Exception {
        KeyedStateBackend<?> other =
                (KeyedStateBackend<?>)
                        Proxy.newProxyInstance(
                                KeyedStateBackend.class.getClassLoader(),
                                new Class<?>[] {KeyedStateBackend.class},
                                (proxy, method, arguments) -> null);
        Counting operator =
                new Counting() {
                    @Override
                    @SuppressWarnings("unchecked")
                    public <K> KeyedStateBackend<K> getKeyedStateBackend() {
                        return (KeyedStateBackend<K>) other;
                    }
                };
        assertThat(support.unsupported(keyed(operator, false)))
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .contains("\"running count\"")
                                        .contains(other.getClass().getSimpleName())
                                        .contains("only the hashmap state backend"));
    }

    @Test
    void interruptibleTimersAreRefusedWithTheOptionToChange() throws Exception {
        Counting interruptible =
                new Counting() {
                    @Override
                    public boolean useInterruptibleTimers(ReadableConfig config) {
                        return true;
                    }
                };
        assertThat(support.unsupported(keyed(interruptible, true)))
                .hasValueSatisfying(
                        text -> assertThat(text).contains("interruptible-timers.enabled to false"));
    }

    @Test
    void asynchronousStateIsRefused() {
        Counting async =
                new Counting() {
                    @Override
                    public boolean isAsyncKeyOrderedProcessingEnabled() {
                        return true;
                    }
                };
        assertThat(support.unsupported(List.of(async)))
                .hasValueSatisfying(text -> assertThat(text).contains("asynchronous state"));
    }
}
