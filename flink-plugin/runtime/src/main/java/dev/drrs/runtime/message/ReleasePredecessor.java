package dev.drrs.runtime.message;

/** To a predecessor: the rescale is over. */
public record ReleasePredecessor(int rescale) implements OfRescale {}
