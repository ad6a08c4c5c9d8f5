package dev.drrs.runtime.heap;

import java.io.IOException;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;

/**
 * Serializers that read what an old owner wrote. They are costly to make and may serve one thread
 * at a time only, so they are lent to a key group in transfer and come back afterwards. For any
 * thread.
 */
final class ReaderPool {

    private final ClassLoader userClassLoader;
    private final ConcurrentMap<Bytes, StateDescription> descriptions = new ConcurrentHashMap<>();
    private final ConcurrentMap<Key, Queue<Readers>> idle = new ConcurrentHashMap<>();

    /** The serializers of one state (or queue: {@code elements}) under one key serializer. */
    record Readers(Key of, StateEntryReader entries, TypeSerializer<?> elements) {
        StateDescription description() {
            return of.state;
        }
    }

    record Key(Bytes keySerializer, StateDescription state) {}

    /** Bytes that can be a key of a map. */
    record Bytes(byte[] bytes) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    ReaderPool(ClassLoader userClassLoader) {
        this.userClassLoader = userClassLoader;
    }

    Readers lend(Bytes keySerializer, byte[] stateDescription) throws IOException {
        Bytes described = new Bytes(stateDescription);
        StateDescription description = descriptions.get(described);
        if (description == null) {
            description = StateDescription.read(stateDescription, userClassLoader);
            descriptions.put(described, description);
        }
        Key key = new Key(keySerializer, description);
        Queue<Readers> free = idle.get(key);
        Readers found = free == null ? null : free.poll();
        return found == null ? make(key) : found;
    }

    void giveBack(Readers readers) {
        idle.computeIfAbsent(readers.of, key -> new ConcurrentLinkedQueue<>()).add(readers);
    }

    TypeSerializerSnapshot<?> readKeySerializer(Bytes keySerializer) throws IOException {
        return TypeSerializerSnapshot.readVersionedSnapshot(
                new DataInputDeserializer(keySerializer.bytes), userClassLoader);
    }

    private Readers make(Key key) throws IOException {
        StateDescription state = key.state;
        if (state.isQueue()) {
            return new Readers(key, null, state.restoreValueSerializer());
        }
        TypeSerializer<?> keys = readKeySerializer(key.keySerializer).restoreSerializer();
        return new Readers(
                key,
                new StateEntryReader(
                        keys, state.restoreNamespaceSerializer(), state.restoreValueSerializer()),
                null);
    }
}
