package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.ChunkSink;
import dev.drrs.runtime.state.DetachedKeyGroups;
import dev.drrs.runtime.state.KeyBin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.streaming.api.operators.InternalTimer;

/** Detached state maps and queue elements of the heap backend. */
final class HeapDetachedKeyGroups implements DetachedKeyGroups {

    private static final int SAMPLES = 8;

    private final int[] keyGroups;
    private final int chunkBytes;
    private final byte[] keySerializerSnapshot;
    private final Map<Integer, List<Part>> parts = new HashMap<>();

    /** By key group that is written in bins: what is left of them, by their numbers. */
    private final Map<Integer, Map<Integer, List<Part>>> bins = new HashMap<>();

    /** Those whose header has gone ahead with a copy. */
    private final Set<Integer> copied = new HashSet<>();

    /** What one state, or one queue, has of one key group; never empty. */
    private sealed interface Part permits MapPart, QueuePart, BinPart {
        StateDescription description();

        int size();

        Iterator<?> entries();

        void write(Object entry, DataOutputSerializer out) throws IOException;

        /** All of it, as the other end needs it. */
        default void send(FrameWriter frames) throws IOException, InterruptedException {
            frames.state(Frames.STATE, description());
            frames.entries(Frames.ENTRIES, entries(), this::write);
        }
    }

    /**
     * @param copy what has gone ahead of the map, null for nothing
     */
    private record MapPart(
            StateDescription description,
            StateMap<?, ?, ?> map,
            HeapCopies.Copy copy,
            StateEntryWriter writer)
            implements Part {

        /** Of the map as it is, which is what the other end has afterwards. */
        @Override
        public int size() {
            return map.size();
        }

        @Override
        public Iterator<?> entries() {
            return map.iterator();
        }

        @Override
        public void write(Object entry, DataOutputSerializer out) throws IOException {
            writer.writeEntry(entry, out);
        }

        @Override
        public void send(FrameWriter frames) throws IOException, InterruptedException {
            if (copy == null) {
                Part.super.send(frames);
                return;
            }
            List<StateEntry<?, ?, ?>> touched = MapEntries.touched(map, copy.snapshot());
            frames.state(Frames.CHANGES, description);
            frames.entries(Frames.ENTRIES, touched.iterator(), writer::writeEntry);
            int unchanged = map.size() - touched.size();
            if (unchanged < copy.size()) { // changed, or removed: only a look tells which
                frames.entries(
                        Frames.REMOVED,
                        MapEntries.removed(map, copy.snapshot()).iterator(),
                        writer::writeKey);
            }
        }
    }

    private record QueuePart(
            StateDescription description, List<?> elements, TypeSerializer<Object> serializer)
            implements Part {
        @Override
        public int size() {
            return elements.size();
        }

        @Override
        public Iterator<?> entries() {
            return elements.iterator();
        }

        @Override
        public void write(Object entry, DataOutputSerializer out) throws IOException {
            try {
                serializer.serialize(entry, out);
            } catch (IOException | RuntimeException e) {
                throw new IOException(
                        "An element of \"" + description.name() + "\" cannot be serialised.", e);
            }
        }
    }

    /** Some entries of a part. */
    private record BinPart(Part of, List<Object> some) implements Part {
        @Override
        public StateDescription description() {
            return of.description();
        }

        @Override
        public int size() {
            return some.size();
        }

        @Override
        public Iterator<?> entries() {
            return some.iterator();
        }

        @Override
        public void write(Object entry, DataOutputSerializer out) throws IOException {
            of.write(entry, out);
        }
    }

    HeapDetachedKeyGroups(int[] keyGroups, int chunkBytes, byte[] keySerializerSnapshot) {
        this.keyGroups = keyGroups;
        this.chunkBytes = chunkBytes;
        this.keySerializerSnapshot = keySerializerSnapshot;
        for (int keyGroup : keyGroups) {
            parts.put(keyGroup, new ArrayList<>());
        }
    }

    /** Only while this is being made. */
    void addMap(
            int keyGroup,
            StateDescription description,
            StateMap<?, ?, ?> map,
            StateEntryWriter writer) {
        parts.get(keyGroup).add(new MapPart(description, map, null, writer));
    }

    /** Only while this is being made: something of the key group has been sent ahead. */
    void copied(int keyGroup) {
        copied.add(keyGroup);
    }

    /** Only while this is being made; {@link #copied} too. */
    void addChanges(
            int keyGroup,
            StateDescription description,
            StateMap<?, ?, ?> map,
            HeapCopies.Copy copy,
            StateEntryWriter writer) {
        parts.get(keyGroup).add(new MapPart(description, map, copy, writer));
    }

    /** Only while this is being made. */
    @SuppressWarnings("unchecked")
    void addQueue(
            int keyGroup,
            StateDescription description,
            List<?> elements,
            TypeSerializer<?> serializer) {
        parts.get(keyGroup)
                .add(new QueuePart(description, elements, (TypeSerializer<Object>) serializer));
    }

    @Override
    public int[] keyGroups() {
        return keyGroups.clone();
    }

    @Override
    public long entries(int keyGroup) {
        return partsOf(keyGroup).stream().mapToLong(Part::size).sum();
    }

    @Override
    public long[] firstTimers(int keyGroup, int bins) {
        long[] first = new long[2 * bins];
        Arrays.fill(first, Long.MAX_VALUE);
        for (Part part : partsOf(keyGroup)) {
            boolean processing = TimerQueues.isOfProcessingTime(part.description().name());
            if (processing || TimerQueues.isOfEventTime(part.description().name())) {
                for (Iterator<?> timers = part.entries(); timers.hasNext(); ) {
                    InternalTimer<?, ?> timer = (InternalTimer<?, ?>) timers.next();
                    int at = 2 * KeyBin.numberOf(timer.getKey(), bins) + (processing ? 1 : 0);
                    long due = Math.min(timer.getTimestamp(), Long.MAX_VALUE - 1);
                    first[at] = Math.min(first[at], due);
                }
            }
        }
        return first;
    }

    @Override
    public long estimateBytes(int keyGroup) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        long bytes =
                2L * Frames.PREFIX + 2 * Integer.BYTES + Long.BYTES + keySerializerSnapshot.length;
        for (Part part : partsOf(keyGroup)) {
            out.clear();
            int sampled = 0;
            for (Iterator<?> entries = part.entries();
                    entries.hasNext() && sampled < SAMPLES;
                    sampled++) {
                part.write(entries.next(), out);
            }
            bytes += 2L * Frames.PREFIX + Integer.BYTES + part.description().bytes().length;
            bytes += Math.round((double) out.length() / sampled * part.size());
        }
        return bytes;
    }

    @Override
    public void write(int keyGroup, KeyBin bin, ChunkSink sink)
            throws IOException, InterruptedException {
        List<Part> of = bin.isAll() ? partsOf(keyGroup) : partsOf(keyGroup, bin);
        FrameWriter frames = new FrameWriter(keyGroup, chunkBytes, sink);
        if (!copied.contains(keyGroup)) {
            frames.header(keySerializerSnapshot);
        }
        for (Part part : of) {
            part.send(frames);
        }
        frames.finish(Frames.END, of.stream().mapToLong(Part::size).sum());
    }

    /** At the first of them all are told apart, so that entries are looked at once. */
    private List<Part> partsOf(int keyGroup, KeyBin bin) {
        if (copied.contains(keyGroup)) {
            throw new IllegalStateException(
                    "Key group " + keyGroup + " has been copied ahead as a whole.");
        }
        if (!bins.containsKey(keyGroup)) {
            bins.put(keyGroup, divided(partsOf(keyGroup), bin.of()));
            parts.remove(keyGroup);
        }
        List<Part> found = bins.get(keyGroup).get(bin.number());
        if (found == null) {
            throw new IllegalArgumentException(bin + " of " + keyGroup + " was released.");
        }
        return found;
    }

    private static Map<Integer, List<Part>> divided(List<Part> whole, int bins) {
        Map<Integer, List<Part>> all = new HashMap<>();
        for (int bin = 0; bin < bins; bin++) {
            all.put(bin, new ArrayList<>());
        }
        for (Part part : whole) {
            List<List<Object>> entries = new ArrayList<>(bins);
            for (int bin = 0; bin < bins; bin++) {
                entries.add(new ArrayList<>(part.size() / bins + 1));
            }
            part.entries()
                    .forEachRemaining(
                            entry -> entries.get(KeyBin.numberOf(keyOf(entry), bins)).add(entry));
            for (int bin = 0; bin < bins; bin++) {
                if (!entries.get(bin).isEmpty()) {
                    all.get(bin).add(new BinPart(part, entries.get(bin)));
                }
            }
        }
        return all;
    }

    /** Of an entry of a map, or of a timer. */
    private static Object keyOf(Object entry) {
        return entry instanceof StateEntry<?, ?, ?> ofMap
                ? ofMap.getKey()
                : ((Keyed<?>) entry).getKey();
    }

    private List<Part> partsOf(int keyGroup) {
        List<Part> found = parts.get(keyGroup);
        if (found == null) {
            throw new IllegalArgumentException(
                    "Key group " + keyGroup + " was not detached here, or was released.");
        }
        return found;
    }

    @Override
    public void release(int keyGroup, KeyBin bin) {
        if (bin.isAll()) {
            parts.remove(keyGroup);
        } else {
            bins.get(keyGroup).remove(bin.number());
        }
    }
}
