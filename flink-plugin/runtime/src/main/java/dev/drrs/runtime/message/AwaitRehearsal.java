package dev.drrs.runtime.message;

/**
 * To a new subtask, before any subscale: the rehearsal of its TaskManager, if it is under way, is
 * to be through with soon; answered by {@link RehearsalOver}.
 *
 * @param millis after which it is to end anyway
 */
public record AwaitRehearsal(int rescale, long millis) implements OfRescale {}
