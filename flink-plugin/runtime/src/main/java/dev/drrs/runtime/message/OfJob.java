package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** From a task to the JobManager: it is about the task and for no rescale. */
public interface OfJob extends OperatorEvent {}
