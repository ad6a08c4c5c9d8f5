package dev.drrs.runtime.message;

/**
 * From a consumer of an elastic vertex: the channel of an activated subtask is open and holds event
 * time.
 *
 * @param channel index within the gate: the producer's subtask index
 * @param clock the consumer's event time when it opened, milliseconds
 */
public record ChannelOpened(int gate, int channel, long clock) implements OfGate {}
