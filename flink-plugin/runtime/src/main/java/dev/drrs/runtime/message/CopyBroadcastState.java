package dev.drrs.runtime.message;

/** To one active subtask of a vertex: write your broadcast state, for new subtasks. */
public record CopyBroadcastState(int rescale) implements OfRescale {}
