package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** Between the JobManager and a task: it is about the task and for no rescale. */
public interface OfJob extends OperatorEvent {}
