package dev.drrs.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamElementSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;

class RoutingTest {

    private static final int KEY_GROUPS = 16;
    private static final int SUBTASKS = 3;
    private static final KeySelector<Long, Long> KEY = n -> n % 1000;

    private final SerializationDelegate<StreamElement> delegate =
            new SerializationDelegate<>(new StreamElementSerializer<>(LongSerializer.INSTANCE));

    @Test
    void withFlinksOwnPlacementItRoutesAsFlink() {
        Routing routing = new Routing(contiguous());
        KeyGroupStreamPartitioner<Long, Long> flink =
                new KeyGroupStreamPartitioner<>(KEY, KEY_GROUPS);
        flink.setup(SUBTASKS);

        LongStream.range(0, 5_000)
                .forEach(
                        n ->
                                assertThat(select(routing, n))
                                        .isEqualTo(1 + flink.selectChannel(recordDelegate(n))));
    }

    @Test
    void movedKeyGroupsGoToTheirNewOwnerAndNoOthers() {
        int[] before = contiguous();
        Routing routing = new Routing(before);

        routing.route(new int[] {0, 7}, 5);

        for (long n = 0; n < 2_000; n++) {
            int keyGroup = keyGroup(n);
            int expected = keyGroup == 0 || keyGroup == 7 ? 5 : before[keyGroup];
            assertThat(select(routing, n)).isEqualTo(1 + expected);
        }
    }

    @Test
    void recordsAreCountedPerKeyGroup() {
        Routing routing = new Routing(contiguous());
        long[] expected = new long[KEY_GROUPS];
        for (long n = 0; n < 3_000; n++) {
            select(routing, n);
            expected[keyGroup(n)]++;
        }

        assertThat(routing.records()).isEqualTo(expected);
    }

    @Test
    void withoutATableFlinkChooses() {
        assertThat(Routing.select(null, KEY, record(1))).isZero();
    }

    @Test
    void aKeyThatCannotBeExtractedIsNamedAsFlinkNamesIt() {
        Routing routing = new Routing(contiguous());
        KeySelector<Long, Long> broken =
                n -> {
                    throw new IllegalArgumentException("no key");
                };

        assertThatThrownBy(() -> Routing.select(routing, broken, record(17)))
                .hasMessage("Could not extract key from 17")
                .hasRootCauseMessage("no key");
    }

    private int select(Routing routing, long n) {
        return Routing.select(routing, KEY, record(n));
    }

    private SerializationDelegate<StreamElement> record(long n) {
        delegate.setInstance(new StreamRecord<>(n));
        return delegate;
    }

    @SuppressWarnings("unchecked")
    private SerializationDelegate<StreamRecord<Long>> recordDelegate(long n) {
        return (SerializationDelegate<StreamRecord<Long>>) (SerializationDelegate<?>) record(n);
    }

    private static int keyGroup(long n) {
        return KeyGroupRangeAssignment.assignToKeyGroup(n % 1000, KEY_GROUPS);
    }

    private static int[] contiguous() {
        return IntStream.range(0, KEY_GROUPS)
                .map(
                        kg ->
                                KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                                        KEY_GROUPS, SUBTASKS, kg))
                .toArray();
    }
}
