package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * Between the JobManager and a task: it is for the rescale of the vertex that reads a data set
 * which the task writes.
 */
public interface OfDataSet extends OperatorEvent {

    /** Hex id of the data set. */
    String dataSetId();
}
