package dev.drrs.nexmark.source;

import org.apache.flink.api.connector.source.SourceEvent;

/** Enumerator to readers: schedule offset 0 is at this wall clock time, epoch ms. */
record EpochSet(long epochMs) implements SourceEvent {}
