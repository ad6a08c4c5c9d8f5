package dev.drrs.runtime.task;

import dev.drrs.flink.InputAccess;
import org.apache.flink.streaming.runtime.io.AbstractStreamTaskNetworkInput;
import org.apache.flink.streaming.runtime.io.RecordAttributesCombiner;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;

/**
 * How many channels the combiner of record attributes of one input waits for: those of active
 * producers. A dormant one never says whether it works off a backlog. Mailbox thread only.
 */
final class RecordAttributesChannels {

    private final RecordAttributesCombiner combiner;

    /**
     * @throws IllegalStateException if the input combines generalised watermarks: Flink's combiners
     *     for those count fixed channels
     */
    RecordAttributesChannels(AbstractStreamTaskNetworkInput<?, ?> input) {
        combiner = InputAccess.attributes(input);
        if (InputAccess.hasGeneralizedWatermarks(input)) {
            throw new IllegalStateException(
                    "the job declares generalised watermarks, which an elastic job cannot have:"
                            + " run it with drrs.enabled=false");
        }
    }

    void absent(int channels) {
        InputAccess.addUndefined(combiner, -channels);
    }

    void opened() {
        absent(-1);
    }

    void closed(int channel) {
        RecordAttributes[] attributes = InputAccess.byChannel(combiner);
        RecordAttributes last = attributes[channel];
        attributes[channel] = null;
        if (last == null) {
            absent(1);
        } else if (last.isBacklog()) {
            InputAccess.addBacklog(combiner, -1);
        }
    }
}
