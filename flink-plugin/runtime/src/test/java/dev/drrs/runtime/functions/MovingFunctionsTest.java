package dev.drrs.runtime.functions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.DrrsOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.accumulators.IntCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.SimpleUdfStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.Collector;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A function that is opened anew when key groups come back, in a running operator. */
class MovingFunctionsTest {

    private static final int MAX_PARALLELISM = 16;
    private static final List<String> LIFE = Collections.synchronizedList(new ArrayList<>());

    /** Remembers the keys of all windows. */
    private static final class Remembering
            extends ProcessWindowFunction<Long, String, Long, TimeWindow> {
        private final List<Long> seen = new ArrayList<>();

        @Override
        public void process(Long key, Context context, Iterable<Long> in, Collector<String> out) {
            seen.add(key);
            out.collect(String.valueOf(seen));
        }
    }

    /** Flink wraps the function of a window, and its factory does not give it away. */
    @Test
    void theFunctionOfAWindowIsOpenedAnewInItsWrapper() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(0, 9)
                .keyBy(n -> n, Types.LONG)
                .window(TumblingEventTimeWindows.of(Duration.ofMillis(10)))
                .process(new Remembering());
        ClassLoader loader = getClass().getClassLoader();
        Configuration task =
                env.getStreamGraph()
                        .getJobGraph(loader)
                        .getVerticesSortedTopologicallyFromSources()
                        .get(1)
                        .getConfiguration();
        StreamOperatorFactory<String> factory =
                new StreamConfig(task).getStreamOperatorFactory(loader);
        KeyedOneInputStreamOperatorTestHarness<Long, Long, String> windows =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        factory, n -> n, Types.LONG, MAX_PARALLELISM, 1, 0);
        harness = windows;
        windows.open();
        Configuration options = new Configuration();
        options.set(DrrsOptions.REOPEN, Reopen.ON_RETURN);
        MovingFunctions functions = new MovingFunctions(task, loader, options, MAX_PARALLELISM);
        assertThat(functions.opened(windows.getOperator(), List.of(windows.getOperator())))
                .isEmpty();

        windows.processElement(1L, 1);
        windows.processWatermark(9);
        functions.leaving(new int[] {2});
        windows.processElement(2L, 11);
        windows.processWatermark(19);
        functions.arrived(2);
        windows.processElement(3L, 21);
        windows.processWatermark(29);
        assertThat(windows.extractOutputValues()).containsExactly("[1]", "[1, 2]", "[3]");
    }

    /** Counts in state, and remembers counts in a field. */
    private static final class Caching extends KeyedProcessFunction<Long, Long, String> {
        private final Map<Long, Long> cache = new HashMap<>();
        private final boolean accumulating;
        private transient ValueState<Long> count;

        Caching(boolean accumulating) {
            this.accumulating = accumulating;
        }

        @Override
        public void open(OpenContext context) {
            LIFE.add("open");
            if (accumulating) {
                getRuntimeContext().addAccumulator("all", new IntCounter());
            }
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("n", Types.LONG));
        }

        @Override
        public void processElement(Long key, Context context, Collector<String> out)
                throws Exception {
            Long before = cache.get(key);
            String from = "cache";
            if (before == null) {
                before = count.value() == null ? 0 : count.value();
                from = "state";
            }
            count.update(before + 1);
            cache.put(key, before + 1);
            out.collect(key + "=" + (before + 1) + " " + from);
        }

        @Override
        public void close() {
            LIFE.add("close");
        }
    }

    private KeyedProcessOperator<Long, Long, String> operator;
    private KeyedOneInputStreamOperatorTestHarness<Long, Long, String> harness;

    private MovingFunctions open(boolean accumulating, String option) throws Exception {
        LIFE.clear();
        operator = new KeyedProcessOperator<>(new Caching(accumulating));
        Configuration task = new Configuration();
        task.setBytes(
                StreamConfig.SERIALIZED_UDF,
                InstantiationUtil.serializeObject(new SimpleUdfStreamOperatorFactory<>(operator)));
        harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        operator, n -> n, Types.LONG, MAX_PARALLELISM, 1, 0);
        harness.open();
        Configuration options = new Configuration();
        options.set(DrrsOptions.REOPEN, option);
        return new MovingFunctions(task, getClass().getClassLoader(), options, MAX_PARALLELISM);
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void aKeyGroupThatComesBackFindsAFreshFunctionWithTheSameState() throws Exception {
        MovingFunctions functions = open(false, Reopen.ON_RETURN);
        assertThat(functions.opened(operator, List.of(operator))).isEmpty();
        harness.processElement(1L, 0);
        harness.processElement(1L, 0);
        functions.leaving(new int[] {2, 3});
        functions.arrived(4);
        harness.processElement(1L, 0);
        assertThat(LIFE).containsExactly("open");
        functions.arrived(2);
        assertThat(LIFE).containsExactly("open", "close", "open");
        harness.processElement(1L, 0);
        harness.processElement(1L, 0);
        assertThat(harness.extractOutputValues())
                .containsExactly("1=1 state", "1=2 cache", "1=3 cache", "1=4 state", "1=5 cache");
    }

    /** The fresh one has never heard of the others that have left. */
    @Test
    void oneFreshFunctionIsEnoughForAllThatHaveLeft() throws Exception {
        MovingFunctions functions = open(false, Reopen.ON_RETURN);
        functions.opened(operator, List.of(operator));
        functions.leaving(new int[] {2, 3});
        functions.arrived(2);
        functions.arrived(3);
        assertThat(LIFE).containsExactly("open", "close", "open");
        functions.leaving(new int[] {3});
        functions.arrived(3);
        assertThat(LIFE).containsExactly("open", "close", "open", "close", "open");
    }

    @Test
    void withoutTheOptionTheFunctionStays() throws Exception {
        MovingFunctions functions = open(false, Reopen.NEVER);
        functions.opened(operator, List.of(operator));
        functions.leaving(new int[] {2});
        functions.arrived(2);
        assertThat(LIFE).containsExactly("open");
    }

    @Test
    void aFunctionWithAccumulatorsIsRefused() throws Exception {
        MovingFunctions functions = open(true, Reopen.ON_RETURN);
        assertThat(functions.opened(operator, List.of(operator)))
                .hasValueSatisfying(
                        fault ->
                                assertThat(fault)
                                        .contains("drrs.functions.reopen", "accumulators all"));
    }
}
