package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.task.Routing;
import java.lang.management.ManagementFactory;
import java.util.stream.IntStream;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;

/** Invariant I8 at the routing of a record; the benchmarks look at the rest of the record path. */
class RecordPathAllocationITCase {

    private static final int KEY_GROUPS = 128;
    private static final int CHANNELS = 8;
    private static final int ROUNDS = 200_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final KeyGroupStreamPartitioner<Long, Long> partitioner =
            new KeyGroupStreamPartitioner<>(value -> value, KEY_GROUPS);
    private final SerializationDelegate<StreamRecord<Long>>[] records = records();

    @Test
    void aRecordIsRoutedWithoutAllocationWhetherTheEdgeIsElasticOrNot() {
        partitioner.setup(CHANNELS);
        assertThat(partitioner).isInstanceOf(HookHolder.class);
        int[] byFlink = channels();
        assertThat(allocated()).as("bytes, edge not elastic").isZero();

        int[] placement =
                IntStream.range(0, KEY_GROUPS).map(g -> g * CHANNELS / KEY_GROUPS).toArray();
        ((HookHolder) partitioner).drrsHook(new Routing(placement));
        assertThat(channels()).isEqualTo(byFlink);
        assertThat(allocated()).as("bytes, elastic edge").isZero();
    }

    private int[] channels() {
        int[] channels = new int[records.length];
        for (int i = 0; i < channels.length; i++) {
            channels[i] = partitioner.selectChannel(records[i]);
        }
        return channels;
    }

    /**
     * Bytes that this thread allocates in many rounds; the least of some, since class loading may
     * fall into one.
     */
    private long allocated() {
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 5; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            int sum = 0;
            for (int i = 0; i < ROUNDS; i++) {
                sum += partitioner.selectChannel(records[i % records.length]);
            }
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(sum).isPositive();
            least = Math.min(least, bytes);
        }
        return least;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private static SerializationDelegate<StreamRecord<Long>>[] records() {
        SerializationDelegate<StreamRecord<Long>>[] records = new SerializationDelegate[1000];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SerializationDelegate<>(null);
            records[i].setInstance(new StreamRecord<>((long) i));
        }
        return records;
    }
}
