package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * From a task to the JobManager: it is for the rescale of the vertex that reads a data set which
 * the task writes.
 */
public interface OfDataSet extends OperatorEvent {

    /** Hex id of the data set. */
    String dataSetId();
}
