package dev.drrs.runtime.functions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.flink.SubmittedFields;
import java.time.Duration;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.triggers.Trigger;
import org.apache.flink.streaming.api.windowing.triggers.TriggerResult;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.operators.windowing.functions.InternalIterableProcessWindowFunction;
import org.apache.flink.streaming.util.MockStreamingRuntimeContext;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;

class UserCodeTest {

    private static final class Sum implements AggregateFunction<Long, Long, Long> {
        @Override
        public Long createAccumulator() {
            return 0L;
        }

        @Override
        public Long add(Long n, Long sum) {
            return sum + n;
        }

        @Override
        public Long getResult(Long sum) {
            return sum;
        }

        @Override
        public Long merge(Long a, Long b) {
            return a + b;
        }
    }

    private static final class Result extends ProcessWindowFunction<Long, Long, Long, TimeWindow> {
        @Override
        public void process(Long key, Context context, Iterable<Long> in, Collector<Long> out) {
            in.forEach(out::collect);
        }
    }

    private static final class Always extends Trigger<Long, TimeWindow> {
        @Override
        public TriggerResult onElement(Long n, long time, TimeWindow window, TriggerContext c) {
            return TriggerResult.FIRE;
        }

        @Override
        public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext c) {
            return TriggerResult.CONTINUE;
        }

        @Override
        public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext c) {
            return TriggerResult.CONTINUE;
        }

        @Override
        public void clear(TimeWindow window, TriggerContext c) {}
    }

    @Test
    void allThatIsInAWindowOperatorIsFound() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(0, 9)
                .keyBy(n -> n % 3, Types.LONG)
                .window(TumblingEventTimeWindows.of(Duration.ofMillis(1)))
                .trigger(new Always())
                .aggregate(new Sum(), new Result());
        ClassLoader loader = getClass().getClassLoader();
        JobVertex vertex =
                env.getStreamGraph()
                        .getJobGraph(loader)
                        .getVerticesSortedTopologicallyFromSources()
                        .get(1);
        StreamOperatorFactory<?> factory =
                new StreamConfig(vertex.getConfiguration()).getStreamOperatorFactory(loader);
        assertThat(UserCode.in(factory))
                .extracting(Object::getClass)
                .containsExactlyInAnyOrder(Sum.class, Result.class, Always.class);
    }

    /** From the context of an open function the way would lead through all of Flink. */
    @Test
    void anOpenFunctionIsLookedIntoNoFurtherThanItWasSubmitted() {
        InternalIterableProcessWindowFunction<Long, Long, Long, TimeWindow> wrapper =
                new InternalIterableProcessWindowFunction<>(new Result());
        wrapper.setRuntimeContext(new MockStreamingRuntimeContext(1, 0));
        assertThat(SubmittedFields.of(wrapper))
                .extracting(Object::getClass)
                .doesNotContain(MockStreamingRuntimeContext.class);
        assertThat(UserCode.in(wrapper)).singleElement().isInstanceOf(Result.class);
    }

    @Test
    void aFunctionThatIsNotWrappedIsFound() {
        assertThat(UserCode.in(new StreamMap<Long, Long>(n -> n))).hasSize(1);
    }
}
