package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * To a predecessor: the consumer subtask is there, open the subpartition towards it; answered by
 * {@link SubpartitionOpened}.
 *
 * @param dataSetId hex of the IntermediateDataSetID
 */
public record OpenSubpartition(String dataSetId, int subtask) implements OperatorEvent {}
