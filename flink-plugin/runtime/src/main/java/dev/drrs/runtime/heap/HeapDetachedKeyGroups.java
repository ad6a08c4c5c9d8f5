package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.ChunkSink;
import dev.drrs.runtime.state.DetachedKeyGroups;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
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

    /** What one state, or one queue, has of one key group; never empty. */
    private sealed interface Part permits MapPart, QueuePart {
        StateDescription description();

        int size();

        Iterator<?> entries();

        void write(Object entry, DataOutputSerializer out) throws IOException;
    }

    private record MapPart(
            StateDescription description, StateMap<?, ?, ?> map, StateEntryWriter writer)
            implements Part {
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
            writer.write((StateEntry<?, ?, ?>) entry, out);
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
        parts.get(keyGroup).add(new MapPart(description, map, writer));
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
        List<Part> all = partsOf(keyGroup);
        ChunkWriter chunks = new ChunkWriter(keyGroup, chunkBytes, sink);
        DataOutputSerializer frame = new DataOutputSerializer(chunkBytes + 1024);

        begin(frame, Frames.HEADER);
        frame.writeInt(Frames.FORMAT);
        frame.writeInt(keyGroup);
        frame.write(keySerializerSnapshot);
        end(frame, chunks);

        for (Part part : all) {
            begin(frame, Frames.STATE);
            frame.write(part.description().bytes());
            end(frame, chunks);
            writeEntries(part, frame, chunks);
        }

        begin(frame, Frames.END);
        frame.writeLong(entries(keyGroup));
        end(frame, chunks);
        chunks.finish();
    }

    private void writeEntries(Part part, DataOutputSerializer frame, ChunkWriter chunks)
            throws IOException, InterruptedException {
        Iterator<?> entries = part.entries();
        while (entries.hasNext()) {
            begin(frame, Frames.ENTRIES);
            frame.writeInt(0);
            int count = 0;
            do {
                part.write(entries.next(), frame);
                count++;
            } while (entries.hasNext() && frame.length() < chunkBytes);
            frame.writeIntUnsafe(count, Frames.PREFIX);
            end(frame, chunks);
        }
    }

    private static void begin(DataOutputSerializer frame, byte type) throws IOException {
        frame.clear();
        frame.writeInt(0);
        frame.writeByte(type);
    }

    private static void end(DataOutputSerializer frame, ChunkWriter chunks)
            throws IOException, InterruptedException {
        frame.writeIntUnsafe(frame.length() - Integer.BYTES, 0);
        chunks.write(frame.getSharedBuffer(), 0, frame.length());
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
