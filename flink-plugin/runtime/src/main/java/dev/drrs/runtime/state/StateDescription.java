package dev.drrs.runtime.state;

import java.io.IOException;
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
 * them anyway.
 */
final class StateDescription {

    private final byte[] bytes;
    private final StateMetaInfoSnapshot snapshot;

    private StateDescription(byte[] bytes, StateMetaInfoSnapshot snapshot) {
        this.bytes = bytes;
        this.snapshot = snapshot;
    }

    static StateDescription of(StateMetaInfoSnapshot snapshot) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(512);
        out.writeInt(StateMetaInfoSnapshotReadersWriters.CURRENT_STATE_META_INFO_SNAPSHOT_VERSION);
        StateMetaInfoSnapshotReadersWriters.getWriter().writeStateMetaInfoSnapshot(snapshot, out);
        return new StateDescription(out.getCopyOfBuffer(), snapshot);
    }

    static StateDescription read(byte[] bytes, ClassLoader userClassLoader) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        StateMetaInfoSnapshot snapshot =
                StateMetaInfoSnapshotReadersWriters.getReader(in.readInt())
                        .readStateMetaInfoSnapshot(in, userClassLoader);
        return new StateDescription(bytes, snapshot);
    }

    byte[] bytes() {
        return bytes;
    }

    StateMetaInfoSnapshot snapshot() {
        return snapshot;
    }

    String name() {
        return snapshot.getName();
    }

    boolean isQueue() {
        return snapshot.getBackendStateType() == BackendStateType.PRIORITY_QUEUE;
    }

    /** A new serializer that reads what the old owner wrote. */
    TypeSerializer<?> restoreValueSerializer() {
        return snapshot.getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER)
                .restoreSerializer();
    }

    /** As {@link #restoreValueSerializer}, for the namespace; only of keyed state. */
    TypeSerializer<?> restoreNamespaceSerializer() {
        return snapshot.getTypeSerializerSnapshot(CommonSerializerKeys.NAMESPACE_SERIALIZER)
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
