package dev.drrs.nexmark.source;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.Event.Auction;
import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Event.Person;
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
                return toEvent(FlatJson.parse(lines.line(), lines.length()));
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

    private static Event toEvent(FlatJson json) {
        long number = json.number("e");
        long offset = json.number("t");
        long timestamp = json.number("ts");
        String kind = json.string("y");
        return switch (kind) {
            case "b" ->
                    new Bid(
                            number,
                            offset,
                            timestamp,
                            json.number("auction"),
                            json.number("bidder"),
                            json.number("price"));
            case "a" ->
                    new Auction(
                            number,
                            offset,
                            timestamp,
                            json.number("id"),
                            json.number("initialBid"),
                            json.number("reserve"),
                            json.number("expires"),
                            json.number("seller"),
                            json.number("category"));
            case "p" ->
                    new Person(
                            number,
                            offset,
                            timestamp,
                            json.number("id"),
                            json.string("name"),
                            json.string("city"),
                            json.string("state"));
            default -> throw new IllegalArgumentException("Not the kind of an event: " + kind);
        };
    }
}
