package dev.drrs.runtime.message;

/**
 * From a consumer: it has taken the align event of a new owner.
 *
 * @param clock its event time, milliseconds
 */
public record ConsumerAligned(int subscale, long clock) implements OfSubscale {}
