package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** Answer to {@link CloseSubpartition}: a new consumer of this index may come. */
public record SubpartitionReset(String dataSetId, int subtask) implements OperatorEvent {}
