package dev.drrs.runtime.message;

/**
 * To a predecessor: put off the end of the data, so that a rescale of its consumer may begin when
 * all else has been sent; answered by {@link RescaleBegun}. As for a rescale, {@link
 * EndOfDataWaits} says when it has come to that, and {@link ReleasePredecessor} lets it go.
 */
public record KeepEndOfData(int rescale) implements OfRescale {}
