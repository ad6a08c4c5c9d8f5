package dev.drrs.runtime.message;

/**
 * The answer to {@link AskHeap}.
 *
 * @param free bytes
 */
public record HeapReported(int rescale, long free) implements OfRescale {}
