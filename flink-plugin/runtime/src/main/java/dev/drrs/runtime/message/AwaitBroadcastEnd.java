package dev.drrs.runtime.message;

/**
 * To each active subtask of a vertex: all producers of your broadcast inputs have come to the end
 * of their data. Say {@link BroadcastStopped} when you have read that far.
 */
public record AwaitBroadcastEnd(int rescale) implements OfRescale {}
