package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** To the old owner: the key groups leave. */
public record Start(int subscale) implements OperatorEvent {}
