package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.ChunkSink;
import dev.drrs.runtime.state.DetachedKeyGroups;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.heap.StateMap;

/** Detached state maps and queue elements of the heap backend. */
final class HeapDetachedKeyGroups implements DetachedKeyGroups {

    private static final int SAMPLES = 8;

    private final int[] keyGroups;
    private final int chunkBytes;
    private final byte[] keySerializerSnapshot;
    private final Map<Integer, List<Part>> parts = new HashMap<>();

    /** Those whose header has gone ahead with a copy. */
    private final Set<Integer> copied = new HashSet<>();

    /** What one state, or one queue, has of one key group; never empty. */
    private sealed interface Part permits MapPart, QueuePart {
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
    public void write(int keyGroup, ChunkSink sink) throws IOException, InterruptedException {
        FrameWriter frames = new FrameWriter(keyGroup, chunkBytes, sink);
        if (!copied.contains(keyGroup)) {
            frames.header(keySerializerSnapshot);
        }
        for (Part part : partsOf(keyGroup)) {
            part.send(frames);
        }
        frames.finish(Frames.END, entries(keyGroup));
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
    public void release(int keyGroup) {
        parts.remove(keyGroup);
    }
}
