package dev.drrs.nexmark.source;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Reader to enumerator: the split has emitted its preload events and waits for the schedule to
 * start.
 */
record SplitReady(int index) implements SourceEvent {}
