package dev.drrs.runtime.answer;

/** Whether a TaskManager is drained now, and whether it was before the request. */
public record DrainState(String taskManager, boolean drained, boolean before) implements Answer {}
