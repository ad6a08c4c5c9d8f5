package dev.drrs.runtime.message;

/**
 * The answer to {@link CheckKeys}.
 *
 * @param fault why the keys cannot be moved, or null
 * @param heapBytes by key group, about how much heap its state takes; empty with a fault or if
 *     sizes were not asked for
 */
public record KeysChecked(int rescale, String fault, long[] heapBytes) implements OfRescale {}
