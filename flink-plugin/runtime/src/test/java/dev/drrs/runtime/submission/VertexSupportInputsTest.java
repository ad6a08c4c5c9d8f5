package dev.drrs.runtime.submission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.DrrsOptions;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.InputSelection;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.transformations.KeyedMultipleInputTransformation;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;

class VertexSupportInputsTest {

    private final StreamExecutionEnvironment env = newEnvironment();
    private final DataStream<Long> a = env.fromSequence(0, 9).name("a");
    private final DataStream<Long> b = env.fromSequence(0, 9).name("b");

    private static StreamExecutionEnvironment newEnvironment() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        return env;
    }

    @Test
    void aUnionIsSupported() {
        keyed(a.union(b)).process(new One()).name("operator").print();
        assertThat(fault()).isNull();
    }

    @Test
    void twoKeyedInputsAreSupported() {
        keyed(a).connect(keyed(b)).process(new Two()).name("operator").print();
        assertThat(fault()).isNull();
    }

    @Test
    void aBroadcastInputBesideAKeyedOneIsSupported() {
        keyed(a).connect(b.broadcast(new MapStateDescriptor<>("rules", Types.LONG, Types.LONG)))
                .process(new Rules())
                .name("operator")
                .print();
        assertThat(fault()).isNull();
    }

    @Test
    void aTaskBeforeBothAKeyedAndABroadcastInputIsRefused() {
        MapStateDescriptor<Long, Long> rules =
                new MapStateDescriptor<>("rules", Types.LONG, Types.LONG);
        keyed(a).connect(a.rebalance().map(n -> n).returns(Types.LONG).broadcast(rules))
                .process(new Rules())
                .name("operator")
                .print();
        assertThat(fault()).contains("Source: a").contains("Map").contains("broadcast");
    }

    /** It starves while the broadcast input stands still, but it answers. */
    @Test
    void aCommonSourceWithTasksOfTheirOwnBetweenIsSupported() {
        MapStateDescriptor<Long, Long> rules =
                new MapStateDescriptor<>("rules", Types.LONG, Types.LONG);
        keyed(a.rebalance().map(n -> n).returns(Types.LONG))
                .connect(a.broadcast(rules))
                .process(new Rules())
                .name("operator")
                .print();
        assertThat(fault()).isNull();
    }

    @Test
    void anOperatorThatSelectsItsInputIsRefused() {
        keyed(a).connect(keyed(b)).transform("operator", Types.LONG, new Selecting()).print();
        assertThat(fault()).contains("InputSelectable");
    }

    @Test
    void watermarksAssignedBehindTheOperatorInItsChainAreRefused() {
        keyed(a).process(new One())
                .name("operator")
                .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps())
                .name("assigner")
                .print();
        assertThat(fault()).contains("assigner", "assigns timestamps and watermarks");
    }

    @Test
    void watermarksAssignedBehindAnExchangeAreSupported() {
        keyed(a).process(new One())
                .name("operator")
                .rebalance()
                .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps())
                .print();
        assertThat(fault()).isNull();
    }

    @Test
    void threeKeyedInputsAreSupported() {
        KeyedMultipleInputTransformation<Long> operator = threeInputs();
        for (int i = 0; i < 3; i++) {
            operator.addInput(keyed(a).getTransformation(), (Long n) -> n % 3);
        }
        run(operator);
        assertThat(fault()).isNull();
    }

    @Test
    void aSourceChainedAsAnInputIsRefusedWithTheInput() {
        KeyedMultipleInputTransformation<Long> operator = threeInputs();
        operator.addInput(keyed(a).getTransformation(), (Long n) -> n % 3);
        operator.addInput(b.getTransformation(), (Long n) -> n % 3);
        operator.addInput(keyed(a).getTransformation(), (Long n) -> n % 3);
        operator.setChainingStrategy(ChainingStrategy.HEAD_WITH_SOURCES);
        run(operator);
        assertThat(fault()).contains("input 2").contains("source in the same chain");
    }

    @Test
    void anInputThatIsNotKeyedIsRefusedWithItsProducer() {
        KeyedMultipleInputTransformation<Long> operator = threeInputs();
        operator.addInput(b.rebalance().getTransformation(), null);
        operator.addInput(keyed(a).getTransformation(), (Long n) -> n % 3);
        operator.addInput(keyed(a).getTransformation(), (Long n) -> n % 3);
        run(operator);
        assertThat(fault()).contains("Source: b").contains("not partitioned by key");
    }

    private KeyedMultipleInputTransformation<Long> threeInputs() {
        return new KeyedMultipleInputTransformation<>(
                "operator", new ThreeInputsFactory(), Types.LONG, 2, Types.LONG);
    }

    private void run(KeyedMultipleInputTransformation<Long> operator) {
        env.addOperator(operator);
        new DataStream<>(env, operator).rebalance().print();
    }

    private static KeyedStream<Long, Long> keyed(DataStream<Long> stream) {
        return stream.keyBy(n -> n % 3, Types.LONG);
    }

    private String fault() {
        ClassLoader loader = getClass().getClassLoader();
        Configuration trusting = new Configuration();
        trusting.set(DrrsOptions.TRUSTED, getClass().getPackageName() + ".*");
        VertexSupport support = new VertexSupport(trusting, loader);
        for (JobVertex vertex : env.getStreamGraph().getJobGraph(loader).getVertices()) {
            if (vertex.getName().startsWith("operator")) {
                assertThat(support.isKeyed(vertex)).isTrue();
                return support.fault(vertex);
            }
        }
        throw new AssertionError("no vertex of the operator");
    }

    private static final class One extends KeyedProcessFunction<Long, Long, Long> {
        @Override
        public void processElement(Long n, Context context, Collector<Long> out) {
            out.collect(n);
        }
    }

    private static final class Two extends KeyedCoProcessFunction<Long, Long, Long, Long> {
        @Override
        public void processElement1(Long n, Context context, Collector<Long> out) {
            out.collect(n);
        }

        @Override
        public void processElement2(Long n, Context context, Collector<Long> out) {
            out.collect(n);
        }
    }

    private static final class Rules extends KeyedBroadcastProcessFunction<Long, Long, Long, Long> {
        @Override
        public void processElement(Long n, ReadOnlyContext context, Collector<Long> out) {
            out.collect(n);
        }

        @Override
        public void processBroadcastElement(Long n, Context context, Collector<Long> out) {}
    }

    private static final class Selecting extends AbstractStreamOperator<Long>
            implements TwoInputStreamOperator<Long, Long, Long>, InputSelectable {
        @Override
        public InputSelection nextSelection() {
            return InputSelection.FIRST;
        }

        @Override
        public void processElement1(StreamRecord<Long> element) {}

        @Override
        public void processElement2(StreamRecord<Long> element) {}
    }
}
