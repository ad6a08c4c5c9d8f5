package dev.drrs.runtime.heap;

import dev.drrs.flink.HeapStateAccess;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;

/**
 * Reads entries of one keyed state into a map; the counterpart of {@link StateEntryWriter}. For one
 * thread at a time.
 */
@SuppressWarnings("unchecked")
final class StateEntryReader {

    private final TypeSerializer<Object> key;
    private final TypeSerializer<Object> namespace;
    private final TypeSerializer<Object> value;

    StateEntryReader(TypeSerializer<?> key, TypeSerializer<?> namespace, TypeSerializer<?> value) {
        this.key = (TypeSerializer<Object>) key;
        this.namespace = (TypeSerializer<Object>) namespace;
        this.value = (TypeSerializer<Object>) value;
    }

    CopyOnWriteStateMap<Object, Object, Object> newMap() {
        return (CopyOnWriteStateMap<Object, Object, Object>) HeapStateAccess.newMap(value);
    }

    /** Takes an entry out that {@link StateEntryWriter#writeKey} has named. */
    void remove(DataInputView in, CopyOnWriteStateMap<Object, Object, Object> from)
            throws IOException {
        Object ns = namespace.deserialize(in);
        from.remove(key.deserialize(in), ns);
    }

    void read(DataInputView in, CopyOnWriteStateMap<Object, Object, Object> into)
            throws IOException {
        Object ns = namespace.deserialize(in);
        Object k = key.deserialize(in);
        into.put(k, ns, in.readBoolean() ? value.deserialize(in) : null);
    }
}
