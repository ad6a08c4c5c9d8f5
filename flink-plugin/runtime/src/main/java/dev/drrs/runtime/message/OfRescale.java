package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** From a task to the JobManager: it is for one rescale. */
public interface OfRescale extends OperatorEvent {

    /** Number of the rescale within the job's attempt. */
    int rescale();
}
