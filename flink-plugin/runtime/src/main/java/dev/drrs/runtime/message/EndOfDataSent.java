package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * From a predecessor that waited with the end of its data: it has been let go by all rescales, and
 * says so to its consumers now.
 */
public record EndOfDataSent(int rescale) implements OperatorEvent {}
