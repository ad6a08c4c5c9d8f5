package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * From a subtask of an elastic vertex: all channels of its broadcast inputs stand at the barrier.
 */
public record BroadcastStopped(int rescale) implements OperatorEvent {}
