package dev.drrs.runtime.message;

/** Answer to {@link ActiveSubtasks}. */
public record ActiveSubtasksKnown(int count) implements OfVertex {}
