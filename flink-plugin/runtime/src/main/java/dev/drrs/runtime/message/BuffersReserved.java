package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * The answer to {@link ReserveBuffers} and {@link AskBuffers}.
 *
 * @param fault a sentence that says where how many are missing, or null
 */
public record BuffersReserved(int rescale, String fault) implements OperatorEvent {}
