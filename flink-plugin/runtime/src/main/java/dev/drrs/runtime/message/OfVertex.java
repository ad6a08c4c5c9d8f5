package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** From a task to the JobManager: it is for the rescale of the task's own vertex. */
public interface OfVertex extends OperatorEvent {}
