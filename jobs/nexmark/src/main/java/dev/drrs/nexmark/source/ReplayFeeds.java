package dev.drrs.nexmark.source;

import dev.drrs.nexmark.generator.Event;
import java.io.IOException;
import java.util.Locale;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;

/**
 * Feeds that read the part files of a replay data set, one split a part.
 *
 * @param directory the data set, as a path or URI that Flink can open on each TaskManager
 * @param outOfOrdernessMs how far an event's time may lie behind the latest one before it in its
 *     part
 * @param limit at most this many events of each part; 0 = all
 */
record ReplayFeeds(String directory, int splits, long baseTimeMs, long outOfOrdernessMs, long limit)
        implements Feeds {

    @Override
    public boolean bounded() {
        return true;
    }

    @Override
    public Feed open(NexmarkSplit split) throws IOException {
        Path path =
                new Path(directory, String.format(Locale.ROOT, "part-%05d.jsonl", split.index()));
        FSDataInputStream in = path.getFileSystem().open(path);
        try {
            in.seek(split.byteOffset());
        } catch (IOException e) {
            in.close();
            throw e;
        }
        return new ReplayFeed(path, new LineReader(in), split.position(), split.byteOffset());
    }

    private final class ReplayFeed implements Feed {
        private final Path path;
        private final LineReader lines;
        private long position;
        private long byteOffset;
        private long maxTimestamp = Long.MIN_VALUE;
        private Event next;
        private boolean ended;

        private ReplayFeed(Path path, LineReader lines, long position, long byteOffset) {
            this.path = path;
            this.lines = lines;
            this.position = position;
            this.byteOffset = byteOffset;
        }

        @Override
        public Event peek() throws IOException {
            if (next == null && !ended) {
                if ((limit == 0 || position < limit) && lines.next()) {
                    next = parse();
                } else {
                    ended = true;
                }
            }
            return next;
        }

        private Event parse() throws IOException {
            try {
                Event event = EventLine.parse(lines.line(), lines.length());
                if (event instanceof Event.Preload) { // the job makes them itself
                    throw new IllegalArgumentException("a preloaded key is no event of a data set");
                }
                return event;
            } catch (IllegalArgumentException e) {
                throw new IOException(
                        path + ", event at byte " + byteOffset + ": " + e.getMessage(), e);
            }
        }

        @Override
        public void advance() {
            maxTimestamp = Math.max(maxTimestamp, next.timestamp());
            byteOffset += lines.consumed();
            position++;
            next = null;
        }

        @Override
        public long watermark() {
            return maxTimestamp == Long.MIN_VALUE
                    ? Long.MIN_VALUE
                    : maxTimestamp - outOfOrdernessMs - 1;
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public long byteOffset() {
            return byteOffset;
        }

        @Override
        public void close() throws IOException {
            lines.close();
        }
    }
}
