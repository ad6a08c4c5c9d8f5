package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * From a subtask of an elastic vertex when it runs: why its state cannot be moved; the vertex is
 * not elastic then.
 */
public record Unsupported(String reason) implements OperatorEvent {}
