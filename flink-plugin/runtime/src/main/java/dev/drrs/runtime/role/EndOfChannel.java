package dev.drrs.runtime.role;

import dev.drrs.runtime.task.SignalEvent;

/** From a predecessor to a retiring subtask: nothing follows on this channel. */
public final class EndOfChannel extends SignalEvent {}
