package dev.drrs.nexmark.source;

import dev.drrs.nexmark.source.NexmarkSplit.Idleness;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/** Fixed layout, version 1. */
final class NexmarkSplitSerializer implements SimpleVersionedSerializer<NexmarkSplit> {

    static final NexmarkSplitSerializer INSTANCE = new NexmarkSplitSerializer();

    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(NexmarkSplit split) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(48);
        write(split, out);
        return out.getCopyOfBuffer();
    }

    @Override
    public NexmarkSplit deserialize(int version, byte[] serialized) throws IOException {
        checkVersion(version);
        return read(new DataInputDeserializer(serialized));
    }

    static void checkVersion(int version) throws IOException {
        if (version != VERSION) {
            throw new IOException(
                    "This job reads version " + VERSION + " of the source's state, not " + version);
        }
    }

    static void write(NexmarkSplit split, DataOutputView out) throws IOException {
        out.writeInt(split.index());
        out.writeLong(split.preloaded());
        out.writeLong(split.position());
        out.writeLong(split.byteOffset());
        out.writeLong(split.epochMs());
        out.writeByte(split.idleness().ordinal());
    }

    static NexmarkSplit read(DataInputView in) throws IOException {
        return new NexmarkSplit(
                in.readInt(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                Idleness.values()[in.readByte()]);
    }
}
