package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.ChunkSink;
import dev.drrs.runtime.state.CopiedKeyGroups;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMapSnapshot;

/**
 * Snapshots of state maps that are sent ahead of their key groups. Held until the key groups are
 * detached: only so long do the maps note which entries are touched. Mailbox thread, but for what
 * {@link CopiedKeyGroups} says.
 */
final class HeapCopies {

    /** A copied map, by the map itself: another one in its place has nothing to do with it. */
    record Copy(
            CopyOnWriteStateMap<?, ?, ?> map,
            CopyOnWriteStateMapSnapshot<?, ?, ?> snapshot,
            int size,
            StateDescription description,
            StateEntryWriter writer) {

        static Copy of(
                CopyOnWriteStateMap<?, ?, ?> map,
                StateDescription description,
                StateEntryWriter writer) {
            return new Copy(map, map.stateSnapshot(), map.size(), description, writer);
        }
    }

    private final int chunkBytes;

    /** By key group, then by name of the state. */
    private final Map<Integer, Map<String, Copy>> held = new HashMap<>();

    HeapCopies(int chunkBytes) {
        this.chunkBytes = chunkBytes;
    }

    void checkNone(int[] keyGroups) {
        for (int keyGroup : keyGroups) {
            if (held.containsKey(keyGroup)) {
                throw new IllegalStateException(
                        "Key group " + keyGroup + " has been copied already.");
            }
        }
    }

    void add(int keyGroup, Copy copy) {
        held.computeIfAbsent(keyGroup, absent -> new HashMap<>())
                .put(copy.description.name(), copy);
    }

    /** What has been added of these key groups. */
    CopiedKeyGroups copied(int[] keyGroups, byte[] keySerializerSnapshot) {
        Map<Integer, List<Copy>> copies = new HashMap<>();
        for (int keyGroup : keyGroups) {
            if (held.containsKey(keyGroup)) {
                copies.put(keyGroup, new ArrayList<>(held.get(keyGroup).values()));
            }
        }
        return new Copied(copies, keySerializerSnapshot);
    }

    /** Those of a key group, by state; none if it was not copied. They are not held any more. */
    Map<String, Copy> remove(int keyGroup) {
        Map<String, Copy> removed = held.remove(keyGroup);
        return removed == null ? Map.of() : removed;
    }

    private final class Copied implements CopiedKeyGroups {

        private final Map<Integer, List<Copy>> copies;
        private final byte[] keySerializerSnapshot;

        Copied(Map<Integer, List<Copy>> copies, byte[] keySerializerSnapshot) {
            this.copies = copies;
            this.keySerializerSnapshot = keySerializerSnapshot;
        }

        @Override
        public void write(int keyGroup, ChunkSink sink) throws IOException, InterruptedException {
            if (!copies.containsKey(keyGroup)) {
                return;
            }
            FrameWriter frames = new FrameWriter(keyGroup, chunkBytes, sink);
            frames.header(keySerializerSnapshot);
            long number = 0;
            for (Copy copy : copies.get(keyGroup)) {
                frames.state(Frames.STATE, copy.description);
                frames.entries(
                        Frames.ENTRIES, MapEntries.of(copy.snapshot), copy.writer::writeEntry);
                number += copy.size;
            }
            frames.finish(Frames.COPIED, number);
        }

        @Override
        public void release() {
            copies.forEach(
                    (keyGroup, those) -> {
                        held.remove(keyGroup);
                        those.forEach(copy -> copy.snapshot.release());
                    });
        }
    }
}
