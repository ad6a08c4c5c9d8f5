package dev.drrs.runtime.task;

import org.apache.flink.runtime.event.RuntimeEvent;

/**
 * An event of the plug-in that travels in order with the records of one channel. It needs no
 * network buffer and no credit, does not block the channel and is not part of an unaligned
 * checkpoint.
 *
 * <p>Subclasses need a public constructor without arguments: Flink's serializer names the class on
 * the wire.
 */
public abstract class InBandEvent extends RuntimeEvent {}
