package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** Between the JobManager and a task: it is for the rescale of the task's own vertex. */
public interface OfVertex extends OperatorEvent {}
