package dev.drrs.runtime.message;

/**
 * The answer to {@link ReserveBuffers} and {@link AskBuffers}.
 *
 * @param fault a sentence that says where how many are missing, or null
 */
public record BuffersReserved(int rescale, String fault) implements OfRescale {}
