package dev.drrs.runtime.message;

/**
 * To the new owner: all consumers let its channel hold event time again.
 *
 * @param consumerClock the highest of their event times, milliseconds
 */
public record Aligned(int subscale, long consumerClock) implements OfSubscale {}
