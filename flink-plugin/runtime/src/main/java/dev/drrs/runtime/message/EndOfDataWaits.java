package dev.drrs.runtime.message;

/**
 * From a predecessor: its data has ended, and it waits for the rescale to be over before it says
 * so.
 */
public record EndOfDataWaits(int rescale) implements OfRescale {}
