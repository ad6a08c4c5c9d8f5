package dev.drrs.runtime.message;

/** Answer to {@link WriteOut}: the operators of the task hold nothing back. */
public record WrittenOut(int rescale) implements OfRescale {}
