package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** Answer to {@link OpenReader}. */
public record ReaderReady(PeerLink link) implements OperatorEvent {}
