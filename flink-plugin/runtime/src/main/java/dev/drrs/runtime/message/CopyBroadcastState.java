package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** To one active subtask of a vertex: write your broadcast state, for new subtasks. */
public record CopyBroadcastState(int rescale) implements OperatorEvent {}
