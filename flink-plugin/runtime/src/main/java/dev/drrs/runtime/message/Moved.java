package dev.drrs.runtime.message;

/**
 * From the new owner: a key group's state is installed.
 *
 * @param bytes serialized size
 * @param millis since it was asked for, milliseconds
 */
public record Moved(int subscale, int keyGroup, long bytes, long millis) implements OfVertex {}
