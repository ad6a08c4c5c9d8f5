package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** To the old owner: the subscale does not begin. */
public record Untrack(int subscale) implements OperatorEvent {}
