package dev.drrs.runtime.message;

import dev.drrs.runtime.peer.PeerAddress;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** Answer to {@link OpenWriter}. */
public record WriterReady(PeerLink link, PeerAddress address) implements OperatorEvent {}
