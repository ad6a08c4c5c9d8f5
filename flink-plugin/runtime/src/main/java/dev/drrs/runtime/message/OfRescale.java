package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** Between the JobManager and a task: it is for one rescale. */
public interface OfRescale extends OperatorEvent {

    /** Number of the rescale within the job's attempt. */
    int rescale();
}
