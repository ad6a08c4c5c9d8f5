package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs whose keys have no stable hash code are refused and run on; others are not. */
@Timeout(600)
class UnstableKeysITCase extends CleanCluster {

    private static final long NUMBERS = 8_000;
    private static final long PER_SECOND = 2_000;
    private static final int KEYS = 40;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(2, 2);

    /** Has another hash code in each JVM. */
    enum Parity {
        EVEN,
        ODD
    }

    record ByEnum(long number, Parity parity) {}

    record ByName(String name, UUID id) {}

    /** Found in the types, when the job is submitted. */
    @Refuses("state: a key with an enum, an array or an object that has no hash code of its own")
    @Test
    void aRecordWithAnEnumIsRefusedAsKey(@InjectMiniCluster MiniCluster cluster) throws Exception {
        refused(
                cluster,
                "record-key",
                n -> new ByEnum(n % KEYS, parity(n)),
                TypeInformation.of(ByEnum.class),
                "ByEnum",
                "field parity",
                "enum Parity");
    }

    /** The type says nothing: found in the keys of a running job. */
    @Refuses("state: a key with an enum, an array or an object that has no hash code of its own")
    @Test
    void anEnumInAKeyOfUnknownTypeIsRefused(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        refused(
                cluster,
                "object-key",
                n -> List.of(n % KEYS, parity(n)),
                Types.GENERIC(Object.class),
                "List",
                "enum Parity");
    }

    @Covers(
            value = "state: keys of records, tuples and lists with a stable hash code",
            path = {2, 3})
    @Test
    void stableKeysMove(@InjectMiniCluster MiniCluster cluster) throws Exception {
        moves(
                cluster,
                "stable-record",
                n -> new ByName("k" + n % KEYS, new UUID(0, n % KEYS)),
                TypeInformation.of(ByName.class));
        moves(
                cluster,
                "stable-tuple",
                n -> Tuple2.of("k" + n % KEYS, List.of(n % KEYS)),
                TypeInformation.of(new TypeHint<Tuple2<String, List<Long>>>() {}));
        moves(cluster, "stable-uuid", n -> new UUID(0, n % KEYS), TypeInformation.of(UUID.class));
    }

    private static <K> void refused(
            MiniCluster cluster,
            String name,
            KeySelector<Long, K> key,
            TypeInformation<K> type,
            String... reasons)
            throws Exception {
        RunningJob job = start(cluster, name, key, type);
        RescaleClient rescales = job.rescales();
        JsonNode vertex = rescales.vertex("operator");
        assertThat(vertex.path("supported").asBoolean()).as(vertex.toString()).isFalse();
        assertThat(vertex.path("reason").asText()).contains(reasons);
        assertThatThrownBy(() -> rescales.rescale("operator", 3))
                .hasMessageContaining("NOT_SUPPORTED")
                .hasMessageContaining("operator")
                .hasMessageContainingAll(reasons);
        job.awaitEnd();
        assertExact(name);
    }

    private static <K> void moves(
            MiniCluster cluster, String name, KeySelector<Long, K> key, TypeInformation<K> type)
            throws Exception {
        RunningJob job = start(cluster, name, key, type);
        job.rescale("operator", 3);
        job.awaitEnd();
        assertExact(name);
    }

    private static Parity parity(long n) {
        return n % 2 == 0 ? Parity.EVEN : Parity.ODD;
    }

    private static void assertExact(String name) {
        Map<String, Integer> each =
                LongStream.rangeClosed(1, NUMBERS / KEYS)
                        .boxed()
                        .collect(Collectors.toMap(String::valueOf, n -> KEYS));
        assertThat(KeptResults.of(name)).isEqualTo(each);
    }

    private static <K> RunningJob start(
            MiniCluster cluster, String name, KeySelector<Long, K> key, TypeInformation<K> type)
            throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        DataStream<String> counts =
                TimedNumbers.untilReleased(env, "numbers", NUMBERS, PER_SECOND)
                        .map(number -> number.f0)
                        .returns(Types.LONG)
                        .keyBy(key, type)
                        .process(new Count<>())
                        .name("operator")
                        .uid("operator");
        RescaledJob.keep(name, counts);
        return RunningJob.start(cluster, env, name);
    }

    private static final class Count<K> extends KeyedProcessFunction<K, Long, String> {
        private transient ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void processElement(Long number, Context context, Collector<String> out)
                throws Exception {
            long next = count.value() == null ? 1 : count.value() + 1;
            count.update(next);
            out.collect(String.valueOf(next));
        }
    }
}
