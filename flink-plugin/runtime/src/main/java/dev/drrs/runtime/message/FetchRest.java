package dev.drrs.runtime.message;

/** To the new owner: somebody waits for the subscale, so what nobody has needed is to come too. */
public record FetchRest(int subscale) implements OfSubscale {}
