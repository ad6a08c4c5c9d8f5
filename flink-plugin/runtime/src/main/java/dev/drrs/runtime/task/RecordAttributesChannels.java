package dev.drrs.runtime.task;

import java.lang.invoke.VarHandle;
import java.util.Map;
import org.apache.flink.streaming.runtime.io.AbstractStreamTaskNetworkInput;
import org.apache.flink.streaming.runtime.io.RecordAttributesCombiner;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;

/**
 * How many channels the combiner of record attributes of one input waits for: those of active
 * producers. A dormant one never says whether it works off a backlog. Mailbox thread only.
 */
final class RecordAttributesChannels {

    private static final VarHandle COMBINER =
            Internals.field(
                    AbstractStreamTaskNetworkInput.class,
                    "recordAttributesCombiner",
                    RecordAttributesCombiner.class);
    private static final VarHandle UNDEFINED =
            Internals.field(
                    RecordAttributesCombiner.class, "backlogUndefinedChannelCnt", int.class);
    private static final VarHandle BACKLOG =
            Internals.field(RecordAttributesCombiner.class, "backlogChannelCnt", int.class);
    private static final VarHandle ATTRIBUTES =
            Internals.field(
                    RecordAttributesCombiner.class,
                    "allChannelRecordAttributes",
                    RecordAttributes[].class);
    private static final VarHandle GENERALIZED =
            Internals.field(AbstractStreamTaskNetworkInput.class, "watermarkCombiners", Map.class);

    private final RecordAttributesCombiner combiner;

    /**
     * @throws IllegalStateException if the input combines generalised watermarks: Flink's combiners
     *     for those count fixed channels
     */
    RecordAttributesChannels(AbstractStreamTaskNetworkInput<?, ?> input) {
        combiner = (RecordAttributesCombiner) COMBINER.get(input);
        if (!((Map<?, ?>) GENERALIZED.get(input)).isEmpty()) {
            throw new IllegalStateException(
                    "the job declares generalised watermarks, which an elastic job cannot have:"
                            + " run it with drrs.enabled=false");
        }
    }

    void absent(int channels) {
        UNDEFINED.set(combiner, (int) UNDEFINED.get(combiner) - channels);
    }

    void opened() {
        absent(-1);
    }

    void closed(int channel) {
        RecordAttributes[] attributes = (RecordAttributes[]) ATTRIBUTES.get(combiner);
        RecordAttributes last = attributes[channel];
        attributes[channel] = null;
        if (last == null) {
            absent(1);
        } else if (last.isBacklog()) {
            BACKLOG.set(combiner, (int) BACKLOG.get(combiner) - 1);
        }
    }
}
