/**
 * The peer exchange: a one-way stream of messages from one running subtask to another over Flink's
 * own network stack.
 *
 * <p>A {@link dev.drrs.runtime.peer.PeerNetwork} stands for one TaskManager. {@link
 * dev.drrs.runtime.peer.PeerWriter} registers a result partition there, {@link
 * dev.drrs.runtime.peer.PeerReader} consumes it from the same or another TaskManager with nothing
 * but the {@link dev.drrs.runtime.peer.PeerAddress}. Data port, TLS, buffers and credit-based flow
 * control are Flink's. The consumer answers through Flink's backward task events: connected,
 * everything handled, closed.
 */
package dev.drrs.runtime.peer;
