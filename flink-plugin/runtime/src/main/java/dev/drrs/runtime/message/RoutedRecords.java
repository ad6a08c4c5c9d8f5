package dev.drrs.runtime.message;

import java.io.Serializable;

/**
 * Records that a task has sent into a keyed edge.
 *
 * @param consumerVertexId hex of the consumer's JobVertexID
 * @param records by key group, since the task started
 */
public record RoutedRecords(String consumerVertexId, long[] records) implements Serializable {}
