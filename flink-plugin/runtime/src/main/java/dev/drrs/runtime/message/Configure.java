package dev.drrs.runtime.message;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** To an owner: the bounds of the rescale that begins. */
public record Configure(long setAsideRecords, long setAsideBytes, int pullWindow)
        implements OperatorEvent {}
