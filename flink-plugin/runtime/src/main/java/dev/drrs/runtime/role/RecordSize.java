package dev.drrs.runtime.role;

import java.io.IOException;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Estimates the size of records from every hundredth one. Mailbox thread only. */
final class RecordSize {

    private static final int EVERY = 100;

    private final PeerCodec codec;
    private int seen;
    private int average;

    RecordSize(PeerCodec codec) {
        this.codec = codec;
    }

    /** About how many bytes the record takes. */
    int of(int input, StreamRecord<?> record) throws IOException {
        if (seen++ % EVERY == 0) {
            int size = codec.size(input, record);
            average = average == 0 ? size : (3 * average + size) / 4;
        }
        return average;
    }
}
