package dev.drrs.runtime.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.flink.api.common.InvalidProgramException;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;

class VertexSupportKeysTest {

    enum Color {
        RED
    }

    record Paint(String name, Color color) {}

    static final class Anything {}

    @Test
    void aListOfEnumsIsRefused() {
        assertThat(fault(n -> List.of(Color.RED), Types.LIST(Types.ENUM(Color.class))))
                .contains("List")
                .contains("enum Color")
                .contains("name()");
    }

    @Test
    void aTupleWithARecordWithAnEnumIsRefusedWithThePart() {
        assertThat(
                        fault(
                                n -> Tuple2.of(n, new Paint("a", Color.RED)),
                                TypeInformation.of(new TypeHint<Tuple2<Long, Paint>>() {})))
                .contains("Tuple2")
                .contains("part 2: field color: enum Color");
    }

    @Test
    void aRecordWithAnEnumIsRefusedWithItsClassAndPart() {
        assertThat(fault(n -> new Paint("a", Color.RED), TypeInformation.of(Paint.class)))
                .contains(Paint.class.getName())
                .contains("field color: enum Color");
    }

    @Test
    void aClassWithoutHashCodeIsRefused() {
        assertThat(fault(n -> new Anything(), Types.GENERIC(Anything.class)))
                .contains(Anything.class.getName())
                .contains("no hashCode() of its own");
    }

    @Test
    void aTupleOfStableFieldsIsNotRefused() {
        assertThat(
                        fault(
                                n -> Tuple2.of(n, "a"),
                                TypeInformation.of(new TypeHint<Tuple2<Long, String>>() {})))
                .isNull();
    }

    /** So these need no check of ours. */
    @Test
    void flinkItselfRefusesEnumsAndArrays() {
        assertThatThrownBy(() -> fault(n -> Color.RED, Types.ENUM(Color.class)))
                .isInstanceOf(InvalidProgramException.class);
        TypeInformation<Tuple2<Long, Color>> nested =
                Types.TUPLE(Types.LONG, Types.ENUM(Color.class));
        assertThatThrownBy(() -> fault(n -> Tuple2.of(n, Color.RED), nested))
                .isInstanceOf(InvalidProgramException.class);
        assertThatThrownBy(() -> fault(n -> new String[1], Types.OBJECT_ARRAY(Types.STRING)))
                .isInstanceOf(InvalidProgramException.class);
    }

    private <K> String fault(KeySelector<Long, K> key, TypeInformation<K> type) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.fromSequence(0, 9).keyBy(key, type).process(new One<>()).name("operator").print();
        ClassLoader loader = getClass().getClassLoader();
        VertexSupport support = new VertexSupport(new Configuration(), loader);
        for (JobVertex vertex : env.getStreamGraph().getJobGraph(loader).getVertices()) {
            if (vertex.getName().startsWith("operator")) {
                return support.fault(vertex);
            }
        }
        throw new AssertionError("no vertex of the operator");
    }

    private static final class One<K> extends KeyedProcessFunction<K, Long, Long> {
        @Override
        public void processElement(Long n, Context context, Collector<Long> out) {
            out.collect(n);
        }
    }
}
