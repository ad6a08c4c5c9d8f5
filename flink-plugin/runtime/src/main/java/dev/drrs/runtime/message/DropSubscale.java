package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** To the old owner: the new owner has settled the subscale. */
public record DropSubscale(int subscale) implements OperatorEvent {}
