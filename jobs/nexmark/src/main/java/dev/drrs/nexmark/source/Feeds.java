package dev.drrs.nexmark.source;

import java.io.IOException;
import java.io.Serializable;

/** Opens the feed of a split where its state says. Shipped with the job graph. */
interface Feeds extends Serializable {

    int splits();

    /** Whether the feeds come to an end. */
    boolean bounded();

    /** Event time of schedule offset 0, epoch ms. */
    long baseTimeMs();

    Feed open(NexmarkSplit split) throws IOException;
}
