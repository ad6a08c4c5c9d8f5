package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** Answer to {@link OpenSubpartition}. */
public record SubpartitionOpened(String dataSetId, int subtask) implements OperatorEvent {}
