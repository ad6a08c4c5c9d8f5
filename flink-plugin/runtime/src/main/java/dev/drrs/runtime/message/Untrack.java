package dev.drrs.runtime.message;

/** To the old owner: the subscale does not begin. */
public record Untrack(int subscale) implements OfSubscale {}
