package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * Answer to {@link BeginRescale}.
 *
 * @param ended whether the end of the data has gone out already: the rescale comes too late
 */
public record RescaleBegun(int rescale, boolean ended) implements OperatorEvent {}
