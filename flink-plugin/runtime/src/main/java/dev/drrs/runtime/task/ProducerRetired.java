package dev.drrs.runtime.task;

/**
 * From a retiring subtask to its consumers, the last but the end of the partition: that end is no
 * end of the data, the channel may be used by another subtask later.
 */
public final class ProducerRetired extends SignalEvent {}
