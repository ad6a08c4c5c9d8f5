package dev.drrs.runtime.message;

/**
 * To a subtask that is to retire, after a checkpoint with it has completed; answered by {@link
 * RetirementPrepared}.
 */
public record PrepareRetirement(int rescale) implements OfRescale {}
