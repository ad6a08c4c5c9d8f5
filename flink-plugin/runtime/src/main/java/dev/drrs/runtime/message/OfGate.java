package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * From a task to the JobManager: it is for the rescale of the vertex that the task reads from
 * through one of its input gates.
 */
public interface OfGate extends OperatorEvent {

    /** Index of the input gate within the task. */
    int gate();
}
