package dev.drrs.runtime.message;

/**
 * To a predecessor: the consumer subtask retires, send nothing more to it; answered by {@link
 * SubpartitionReset}.
 *
 * @param dataSetId hex of the IntermediateDataSetID
 */
public record CloseSubpartition(String dataSetId, int subtask) implements OfDataSet {}
