package dev.drrs.runtime.heap;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.StateEntry;

/**
 * Writes entries of one keyed state; the counterpart of {@link StateEntryReader}. For one thread at
 * a time.
 */
@SuppressWarnings("unchecked")
final class StateEntryWriter {

    private final String state;
    private final TypeSerializer<Object> key;
    private final TypeSerializer<Object> namespace;
    private final TypeSerializer<Object> value;

    StateEntryWriter(
            String state,
            TypeSerializer<?> key,
            TypeSerializer<?> namespace,
            TypeSerializer<?> value) {
        this.state = state;
        this.key = (TypeSerializer<Object>) key;
        this.namespace = (TypeSerializer<Object>) namespace;
        this.value = (TypeSerializer<Object>) value;
    }

    void writeEntry(Object of, DataOutputView out) throws IOException {
        StateEntry<?, ?, ?> entry = (StateEntry<?, ?, ?>) of;
        try {
            key(entry, out);
            Object content = entry.getState();
            out.writeBoolean(content != null);
            if (content != null) {
                value.serialize(content, out);
            }
        } catch (IOException | RuntimeException e) {
            throw failed(e);
        }
    }

    /** Only which entry it is. */
    void writeKey(Object entry, DataOutputView out) throws IOException {
        try {
            key((StateEntry<?, ?, ?>) entry, out);
        } catch (IOException | RuntimeException e) {
            throw failed(e);
        }
    }

    private void key(StateEntry<?, ?, ?> entry, DataOutputView out) throws IOException {
        namespace.serialize(entry.getNamespace(), out);
        key.serialize(entry.getKey(), out);
    }

    private IOException failed(Exception e) {
        return new IOException("An entry of state \"" + state + "\" cannot be serialised.", e);
    }
}
