package dev.drrs.runtime.message;

/**
 * To a predecessor: the consumer subtask is there, open the subpartition towards it; answered by
 * {@link SubpartitionOpened}.
 *
 * @param dataSetId hex of the IntermediateDataSetID
 */
public record OpenSubpartition(String dataSetId, int subtask) implements OfDataSet {}
