package dev.drrs.runtime.message;

/**
 * Answer to {@link PrepareRetirement}: the completion of every checkpoint announced before it has
 * been processed.
 */
public record RetirementPrepared(int rescale, int subtask) implements OfRescale {}
