package dev.drrs.runtime.message;

/**
 * To a predecessor: a rescale of its consumer begins, put off the end of the data until it is over;
 * answered by {@link RescaleBegun}.
 */
public record BeginRescale(int rescale) implements OfRescale {}
