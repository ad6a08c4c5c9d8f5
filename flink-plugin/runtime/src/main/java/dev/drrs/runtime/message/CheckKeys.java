package dev.drrs.runtime.message;

/**
 * To an active subtask of an elastic vertex: are its keys fit to be moved?
 *
 * @param sizes and how large is its state?
 */
public record CheckKeys(int rescale, boolean sizes) implements OfRescale {}
