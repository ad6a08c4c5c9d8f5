package dev.drrs.runtime.message;

/**
 * To a task that scales together with the new owner before it: what the old owner has made of the
 * subscale's key groups is through the task that stands where this one does, written where it
 * writes.
 */
public record ResultsMayBegin(int subscale) implements OfSubscale {}
