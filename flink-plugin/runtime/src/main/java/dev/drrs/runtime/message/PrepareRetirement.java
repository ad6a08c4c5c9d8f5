package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * To a subtask that is to retire, after a checkpoint with it has completed; answered by {@link
 * RetirementPrepared}.
 */
public record PrepareRetirement(int rescale) implements OperatorEvent {}
