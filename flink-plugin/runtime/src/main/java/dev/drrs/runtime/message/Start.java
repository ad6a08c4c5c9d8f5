package dev.drrs.runtime.message;

/** To the old owner: the key groups leave. */
public record Start(int subscale) implements OfSubscale {}
