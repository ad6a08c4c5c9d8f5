package dev.drrs.nexmark.source;

import dev.drrs.nexmark.generator.Event;
import java.io.Closeable;
import java.io.IOException;

/**
 * The events of one split in the order of their schedule, from a position on. Used by one thread.
 */
interface Feed extends Closeable {

    /** The next event, or null at the end. Repeated calls give the same event. */
    Event peek() throws IOException;

    /** Moves past the event that {@link #peek} gave. */
    void advance();

    /** No event from the next one on has an event time at or below this; epoch ms. */
    long watermark();

    /** How many events are behind, counted from the split's start. */
    long position();

    /** Where the next event starts in its file; 0 without a file. */
    long byteOffset();
}
