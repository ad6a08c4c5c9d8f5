package dev.drrs.runtime.message;

/**
 * To every subtask of an elastic vertex: how many are active from here on, as user code and sinks
 * are to see it; answered by {@link ActiveSubtasksKnown}.
 */
public record ActiveSubtasks(int count) implements OfVertex {}
