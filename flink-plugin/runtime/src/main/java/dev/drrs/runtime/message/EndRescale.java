package dev.drrs.runtime.message;

/**
 * To old and new owners, and to new subtasks that have had no subscale and go on with event time:
 * no subscale follows, peer exchanges may close; answered by {@link RescaleEnded}.
 */
public record EndRescale(int rescale) implements OfRescale {}
