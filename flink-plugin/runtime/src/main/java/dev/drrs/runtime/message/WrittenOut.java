package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** Answer to {@link WriteOut}: the operators of the task hold nothing back. */
public record WrittenOut(int rescale) implements OperatorEvent {}
