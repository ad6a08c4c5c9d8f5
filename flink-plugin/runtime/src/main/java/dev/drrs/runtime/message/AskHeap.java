package dev.drrs.runtime.message;

/**
 * To a new owner: how much heap does its TaskManager have for more state?
 *
 * @param wanted bytes; with less than that free, what is garbage is not to be counted as used
 */
public record AskHeap(int rescale, long wanted) implements OfRescale {}
