package dev.drrs.runtime.message;

/**
 * To a predecessor: the subtask that the subpartition was opened for is not activated after all.
 */
public record DiscardSubpartition(String dataSetId, int subtask) implements OfDataSet {}
