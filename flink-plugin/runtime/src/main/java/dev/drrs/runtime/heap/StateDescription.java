package dev.drrs.runtime.heap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshotReadersWriters;

/**
 * What a state is, in the form in which a savepoint describes it: name, type and serializer
 * snapshots. Immutable, for any thread.
 *
 * <p>Snapshots and not serializers travel: every state that can be restored has them, they are made
 * to read what the serializer wrote, and a state that is not registered yet at the new owner needs
 * them anyway. Whoever is handed one may change it (Flink does when user code registers the state),
 * so each gets one of its own.
 */
final class StateDescription {

    private final byte[] bytes;
    private final String name;
    private final boolean queue;
    private final ClassLoader userClassLoader;

    private StateDescription(byte[] bytes, StateMetaInfoSnapshot snapshot, ClassLoader loader) {
        this.bytes = bytes;
        this.name = snapshot.getName();
        this.queue = snapshot.getBackendStateType() == BackendStateType.PRIORITY_QUEUE;
        this.userClassLoader = loader;
    }

    static StateDescription of(StateMetaInfoSnapshot snapshot, ClassLoader userClassLoader)
            throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(512);
        out.writeInt(StateMetaInfoSnapshotReadersWriters.CURRENT_STATE_META_INFO_SNAPSHOT_VERSION);
        StateMetaInfoSnapshotReadersWriters.getWriter().writeStateMetaInfoSnapshot(snapshot, out);
        return new StateDescription(out.getCopyOfBuffer(), snapshot, userClassLoader);
    }

    static StateDescription read(byte[] bytes, ClassLoader userClassLoader) throws IOException {
        return new StateDescription(bytes, readSnapshot(bytes, userClassLoader), userClassLoader);
    }

    private static StateMetaInfoSnapshot readSnapshot(byte[] bytes, ClassLoader loader)
            throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        return StateMetaInfoSnapshotReadersWriters.getReader(in.readInt())
                .readStateMetaInfoSnapshot(in, loader);
    }

    byte[] bytes() {
        return bytes;
    }

    /** A new one at each call. */
    StateMetaInfoSnapshot snapshot() {
        try {
            return readSnapshot(bytes, userClassLoader);
        } catch (IOException e) {
            throw new UncheckedIOException("The description of \"" + name + "\" is unreadable.", e);
        }
    }

    String name() {
        return name;
    }

    boolean isQueue() {
        return queue;
    }

    /** A new serializer that reads what the old owner wrote. */
    TypeSerializer<?> restoreValueSerializer() {
        return snapshot()
                .getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER)
                .restoreSerializer();
    }

    /** As {@link #restoreValueSerializer}, for the namespace; only of keyed state. */
    TypeSerializer<?> restoreNamespaceSerializer() {
        return snapshot()
                .getTypeSerializerSnapshot(CommonSerializerKeys.NAMESPACE_SERIALIZER)
                .restoreSerializer();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StateDescription that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
