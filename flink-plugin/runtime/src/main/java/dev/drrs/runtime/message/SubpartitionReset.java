package dev.drrs.runtime.message;

/** Answer to {@link CloseSubpartition}: a new consumer of this index may come. */
public record SubpartitionReset(String dataSetId, int subtask) implements OfDataSet {}
