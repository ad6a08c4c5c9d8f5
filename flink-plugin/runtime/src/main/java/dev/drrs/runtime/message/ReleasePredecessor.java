package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** To a predecessor: the rescale is over. */
public record ReleasePredecessor(int rescale) implements OperatorEvent {}
