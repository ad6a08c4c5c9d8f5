package dev.drrs.runtime.message;

/** The rescale is over: what is left of its {@link ReserveBuffers} is not needed any more. */
public record ReleaseBuffers(int rescale) implements OfRescale {}
