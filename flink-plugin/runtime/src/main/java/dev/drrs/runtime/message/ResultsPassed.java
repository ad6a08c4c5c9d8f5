package dev.drrs.runtime.message;

/**
 * From a consumer, or a task that scales together with an old owner: it has taken all results that
 * the old owners of these subscales have made of their key groups.
 *
 * @param subscales ids; one of them for each input gate that an end of results came through
 */
public record ResultsPassed(int[] subscales) implements OfSubscale {}
