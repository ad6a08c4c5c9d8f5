package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** Answer to {@link ActiveSubtasks}. */
public record ActiveSubtasksKnown(int count) implements OperatorEvent {}
