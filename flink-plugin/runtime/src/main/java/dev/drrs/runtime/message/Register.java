package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** To the new owner of a subscale. */
public record Register(Move move) implements OperatorEvent {}
