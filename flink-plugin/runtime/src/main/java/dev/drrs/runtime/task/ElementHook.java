package dev.drrs.runtime.task;

import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;

/** Sees each element of an input before the operator does. Called in the mailbox thread. */
@FunctionalInterface
public interface ElementHook {

    /**
     * @param element a fresh object: may be kept without a copy
     * @param channel index over all channels of the input (flattened over the gates of a union)
     * @param output where the element goes; may be kept, it is the same for the whole life of the
     *     input
     * @return true if the hook has taken the element: it goes no further
     */
    boolean take(StreamElement element, int channel, DataOutput<?> output) throws Exception;
}
