package dev.drrs.nexmark.source;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Fixed layout, same version as that of the splits. */
final class EnumeratorStateSerializer implements SimpleVersionedSerializer<EnumeratorState> {

    @Override
    public int getVersion() {
        return NexmarkSplitSerializer.INSTANCE.getVersion();
    }

    @Override
    public byte[] serialize(EnumeratorState state) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        out.writeInt(state.splits());
        out.writeLong(state.epochMs());
        out.writeInt(state.unassigned().size());
        for (NexmarkSplit split : state.unassigned()) {
            NexmarkSplitSerializer.write(split, out);
        }
        return out.getCopyOfBuffer();
    }

    @Override
    public EnumeratorState deserialize(int version, byte[] serialized) throws IOException {
        NexmarkSplitSerializer.checkVersion(version);
        DataInputDeserializer in = new DataInputDeserializer(serialized);
        int splits = in.readInt();
        long epoch = in.readLong();
        int count = in.readInt();
        List<NexmarkSplit> unassigned = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            unassigned.add(NexmarkSplitSerializer.read(in));
        }
        return new EnumeratorState(splits, unassigned, epoch);
    }
}
