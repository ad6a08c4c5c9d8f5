package dev.drrs.runtime.message;

/** Answer to {@link OpenSubpartition}. */
public record SubpartitionOpened(String dataSetId, int subtask) implements OfDataSet {}
