package dev.drrs.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamElementSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** The records of the benchmarks: numbers that are their own keys, made before the clock runs. */
final class Bids {

    static final int KEY_GROUPS = 128;

    /** Records of one invocation. */
    static final int RECORDS = 1024;

    private Bids() {}

    static StreamElementSerializer<Long> serializer() {
        return new StreamElementSerializer<>(LongSerializer.INSTANCE);
    }

    /**
     * Records whose key groups all lie below the bound, each as an output hands it to its
     * partitioner.
     */
    static List<SerializationDelegate<StreamElement>> below(int keyGroup) {
        List<SerializationDelegate<StreamElement>> bids = new ArrayList<>();
        for (long key = 0; bids.size() < RECORDS; key++) {
            Long boxed = key;
            if (KeyGroupRangeAssignment.assignToKeyGroup(boxed, KEY_GROUPS) < keyGroup) {
                bids.add(delegate(new StreamRecord<>(boxed, key)));
            }
        }
        return bids;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static SerializationDelegate<StreamElement> delegate(StreamRecord<Long> bid) {
        SerializationDelegate<StreamElement> delegate =
                new SerializationDelegate<>((StreamElementSerializer) serializer());
        delegate.setInstance(bid);
        return delegate;
    }
}
