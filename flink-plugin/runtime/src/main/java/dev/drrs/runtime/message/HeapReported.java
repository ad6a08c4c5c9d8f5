package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * The answer to {@link AskHeap}.
 *
 * @param free bytes
 */
public record HeapReported(int rescale, long free) implements OperatorEvent {}
