package dev.drrs.runtime.message;

/**
 * To a subtask that owns nothing any more: write out what your operators hold, and let those that
 * retire with you do the same; each answers with {@link WrittenOut}.
 */
public record WriteOut(int rescale) implements OfRescale {}
