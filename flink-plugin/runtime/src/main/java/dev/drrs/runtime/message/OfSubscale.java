package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * Between the JobManager and a task: it names subscales. Their ids are the job's, so what a task
 * says may be shown to every rescale; it means something to the one that has them.
 */
public interface OfSubscale extends OperatorEvent {}
