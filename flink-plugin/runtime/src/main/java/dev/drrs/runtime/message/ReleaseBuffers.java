package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** The rescale is over: what is left of its {@link ReserveBuffers} is not needed any more. */
public record ReleaseBuffers(int rescale) implements OperatorEvent {}
