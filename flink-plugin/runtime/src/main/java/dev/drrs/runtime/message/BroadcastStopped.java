package dev.drrs.runtime.message;

/**
 * From a subtask of an elastic vertex: all channels of its broadcast inputs stand at the barrier.
 */
public record BroadcastStopped(int rescale) implements OfRescale {}
