package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** To the writing end of a peer exchange; answered by {@link WriterReady}. */
public record OpenWriter(PeerLink link) implements OperatorEvent {}
