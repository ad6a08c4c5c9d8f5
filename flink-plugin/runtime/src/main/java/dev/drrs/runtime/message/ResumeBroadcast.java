package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * To a subtask of an elastic vertex: the broadcast inputs go on; barriers still to come stop none.
 */
public record ResumeBroadcast(int rescale) implements OperatorEvent {}
