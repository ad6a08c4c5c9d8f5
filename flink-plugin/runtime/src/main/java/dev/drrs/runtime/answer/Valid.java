package dev.drrs.runtime.answer;

/** A request that was only to be checked has no fault. */
public record Valid(boolean valid) implements Answer {}
