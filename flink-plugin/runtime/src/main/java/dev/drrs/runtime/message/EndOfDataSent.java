package dev.drrs.runtime.message;

/**
 * From a predecessor that waited with the end of its data: it has been let go by all rescales, and
 * says so to its consumers now.
 */
public record EndOfDataSent(int rescale) implements OfRescale {}
