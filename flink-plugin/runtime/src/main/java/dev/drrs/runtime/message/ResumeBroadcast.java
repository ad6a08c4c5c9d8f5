package dev.drrs.runtime.message;

/**
 * To a subtask of an elastic vertex: the broadcast inputs go on; barriers still to come stop none.
 */
public record ResumeBroadcast(int rescale) implements OfRescale {}
