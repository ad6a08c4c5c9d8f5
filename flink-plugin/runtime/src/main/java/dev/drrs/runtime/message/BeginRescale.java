package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * To a predecessor: a rescale of its consumer begins, put off the end of the data until it is over;
 * answered by {@link RescaleBegun}.
 */
public record BeginRescale(int rescale) implements OperatorEvent {}
