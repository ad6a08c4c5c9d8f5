package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** To a predecessor or a subtask of an elastic vertex; answered by {@link LoadReport}. */
public record ReportLoad(long request) implements OperatorEvent {}
