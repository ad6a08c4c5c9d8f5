package dev.drrs.runtime.message;

/**
 * To a new subtask: where its consumers' event times stood when they opened its channel.
 *
 * @param emitted the lowest, milliseconds
 * @param assumed the highest, milliseconds
 * @param awaitsSubscale whether the rescale has a subscale for it: until that is registered it
 *     tells its consumers no event time
 */
public record Activated(long emitted, long assumed, boolean awaitsSubscale) implements OfVertex {}
