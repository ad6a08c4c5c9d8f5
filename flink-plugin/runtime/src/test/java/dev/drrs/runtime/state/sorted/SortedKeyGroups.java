package dev.drrs.runtime.state.sorted;

import dev.drrs.runtime.state.ChunkSink;
import dev.drrs.runtime.state.DetachedKeyGroups;
import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyBin;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Key groups on their way out, with a chunk for each number, each timer and the end, and on their
 * way in.
 */
final class SortedKeyGroups implements DetachedKeyGroups {

    static final int CHUNK_BYTES = 13;
    static final byte NUMBER = 1;
    static final byte TIMER = 2;
    static final byte END = 3;

    private final Map<Integer, Part> parts = new LinkedHashMap<>();

    record Timer(int key, long timestamp) {}

    private record Part(NavigableMap<Integer, Long> numbers, List<Timer> timers) {}

    void add(int keyGroup, NavigableMap<Integer, Long> numbers, List<Timer> timers) {
        parts.put(keyGroup, new Part(numbers, timers));
    }

    @Override
    public int[] keyGroups() {
        return parts.keySet().stream().mapToInt(keyGroup -> keyGroup).toArray();
    }

    @Override
    public long entries(int keyGroup) {
        return parts.get(keyGroup).numbers.size() + parts.get(keyGroup).timers.size();
    }

    /** All of its timers are of event time. */
    @Override
    public long[] firstTimers(int keyGroup, int bins) {
        long[] first = new long[2 * bins];
        Arrays.fill(first, Long.MAX_VALUE);
        for (Timer timer : parts.get(keyGroup).timers) {
            int at = 2 * KeyBin.numberOf(timer.key, bins);
            first[at] = Math.min(first[at], Math.min(timer.timestamp, Long.MAX_VALUE - 1));
        }
        return first;
    }

    @Override
    public long estimateBytes(int keyGroup) {
        return CHUNK_BYTES * (entries(keyGroup) + 1);
    }

    @Override
    public void write(int keyGroup, KeyBin bin, ChunkSink sink)
            throws IOException, InterruptedException {
        Part part = parts.get(keyGroup);
        for (Map.Entry<Integer, Long> each : part.numbers.entrySet()) {
            if (bin.has(each.getKey())) {
                sink.accept(keyGroup, chunk(sink, NUMBER, each.getKey(), each.getValue()), false);
            }
        }
        for (Timer timer : part.timers) {
            if (bin.has(timer.key)) {
                sink.accept(keyGroup, chunk(sink, TIMER, timer.key, timer.timestamp), false);
            }
        }
        sink.accept(keyGroup, chunk(sink, END, 0, 0), true);
    }

    private static ByteBuffer chunk(ChunkSink sink, byte kind, int key, long value) {
        ByteBuffer chunk = ByteBuffer.allocate(sink.headroom() + CHUNK_BYTES);
        chunk.position(sink.headroom());
        chunk.put(kind).putInt(key).putLong(value);
        return chunk.flip().position(sink.headroom());
    }

    @Override
    public void release(int keyGroup, KeyBin bin) {
        if (bin.isAll()) { // else the last one does, which need not be known here
            parts.remove(keyGroup);
        }
    }

    /** A key group on its way in. One transfer thread, then the mailbox. */
    static final class Arrival implements IncomingKeyGroup {

        private final SortedState into;
        private final int subscale;
        private final int keyGroup;
        private final KeyBin bin;
        private final NavigableMap<Integer, Long> numbers = new TreeMap<>();
        private final List<Timer> timers = new ArrayList<>();
        private boolean complete;

        Arrival(SortedState into, int subscale, int keyGroup, KeyBin bin) {
            this.bin = bin;
            this.into = into;
            this.subscale = subscale;
            this.keyGroup = keyGroup;
        }

        @Override
        public int subscale() {
            return subscale;
        }

        @Override
        public int keyGroup() {
            return keyGroup;
        }

        @Override
        public KeyBin bin() {
            return bin;
        }

        @Override
        public boolean add(ByteBuffer chunk) throws IOException {
            byte kind = chunk.get();
            int key = chunk.getInt();
            long value = chunk.getLong();
            switch (kind) {
                case NUMBER -> numbers.put(key, value);
                case TIMER -> timers.add(new Timer(key, value));
                case END -> complete = true;
                default -> throw new IOException("a chunk of kind " + kind);
            }
            return complete;
        }

        @Override
        public boolean isComplete() {
            return complete;
        }

        @Override
        public long entries() {
            return numbers.size() + timers.size();
        }

        @Override
        public void install() {
            if (!complete) {
                throw new IllegalStateException("Key group " + keyGroup + " is not complete.");
            }
            into.install(keyGroup, bin, numbers, timers);
        }
    }
}
