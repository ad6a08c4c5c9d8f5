package dev.drrs.runtime.message;

/**
 * From a consumer of an elastic vertex: the channel of a retired subtask is gone, a new one may
 * come.
 *
 * @param channel index within the gate: the producer's subtask index
 */
public record ChannelClosed(int gate, int channel) implements OfGate {}
