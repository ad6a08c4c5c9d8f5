package dev.drrs.runtime.message;

/** To the old owner: the new owner has settled the subscale. */
public record DropSubscale(int subscale) implements OfSubscale {}
