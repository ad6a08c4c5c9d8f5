package dev.drrs.runtime.message;

/**
 * To a new subtask: where its consumers' event times stood when they opened its channel.
 *
 * @param emitted the lowest, milliseconds
 * @param assumed the highest, milliseconds
 */
public record Activated(long emitted, long assumed) implements OfVertex {}
