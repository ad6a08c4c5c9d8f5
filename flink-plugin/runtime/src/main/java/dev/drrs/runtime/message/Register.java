package dev.drrs.runtime.message;

/** To the new owner of a subscale. */
public record Register(Move move) implements OfSubscale {}
