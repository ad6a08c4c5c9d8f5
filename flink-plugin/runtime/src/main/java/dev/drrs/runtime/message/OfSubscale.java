package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * From a task to the JobManager: it names subscales. Their ids are the job's, so it may be shown to
 * every rescale; it means something to the one that has them.
 */
public interface OfSubscale extends OperatorEvent {}
