package dev.drrs.runtime.message;

/**
 * Answer to {@link BeginRescale} and {@link KeepEndOfData}.
 *
 * @param ended whether the end of the data has gone out already: the rescale comes too late
 */
public record RescaleBegun(int rescale, boolean ended) implements OfRescale {}
