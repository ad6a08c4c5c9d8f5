package dev.drrs.runtime.message;

/**
 * To the old owner of a subscale.
 *
 * @param promised what the new owner's consumers take for granted, milliseconds
 */
public record Track(Move move, long promised) implements OfSubscale {}
