package dev.drrs.runtime.role;

import dev.drrs.runtime.task.ElasticInput;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;

/**
 * Where an event has come that travels in order with the records of a channel. Mailbox thread only.
 *
 * @param channel of the input, flattened index
 */
record Arrival(ElasticInput input, int channel) {

    /** The channel as one of a gate. */
    InputChannelInfo info() {
        return input.channel(channel);
    }
}
