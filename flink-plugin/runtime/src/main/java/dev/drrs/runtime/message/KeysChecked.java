package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * The answer to {@link CheckKeys}.
 *
 * @param fault why the keys cannot be moved, or null
 */
public record KeysChecked(int rescale, String fault) implements OperatorEvent {}
