package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.ChunkSink;
import java.io.IOException;
import java.util.Iterator;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Writes the frames of one key group into chunks, for a FrameAssembler to read. One thread. */
final class FrameWriter {

    /** How one entry is written. */
    interface EntryWriter {
        void write(Object entry, DataOutputSerializer out) throws IOException;
    }

    private final int keyGroup;
    private final int chunkBytes;
    private final ChunkWriter chunks;
    private final DataOutputSerializer frame;

    FrameWriter(int keyGroup, int chunkBytes, ChunkSink sink) {
        this.keyGroup = keyGroup;
        this.chunkBytes = chunkBytes;
        chunks = new ChunkWriter(keyGroup, chunkBytes, sink);
        frame = new DataOutputSerializer(chunkBytes + 1024);
    }

    void header(byte[] keySerializerSnapshot) throws IOException, InterruptedException {
        begin(Frames.HEADER);
        frame.writeInt(Frames.FORMAT);
        frame.writeInt(keyGroup);
        frame.write(keySerializerSnapshot);
        end();
    }

    /**
     * @param type STATE or CHANGES
     */
    void state(byte type, StateDescription description) throws IOException, InterruptedException {
        begin(type);
        frame.write(description.bytes());
        end();
    }

    /**
     * @param type ENTRIES or REMOVED
     */
    void entries(byte type, Iterator<?> entries, EntryWriter writer)
            throws IOException, InterruptedException {
        while (entries.hasNext()) {
            begin(type);
            frame.writeInt(0);
            int count = 0;
            do {
                writer.write(entries.next(), frame);
                count++;
            } while (entries.hasNext() && frame.length() < chunkBytes);
            frame.writeIntUnsafe(count, Frames.PREFIX);
            end();
        }
    }

    /**
     * The last frame of a copy, or of all.
     *
     * @param type COPIED or END
     */
    void finish(byte type, long number) throws IOException, InterruptedException {
        begin(type);
        frame.writeLong(number);
        end();
        chunks.finish();
    }

    private void begin(byte type) throws IOException {
        frame.clear();
        frame.writeInt(0);
        frame.writeByte(type);
    }

    private void end() throws IOException, InterruptedException {
        frame.writeIntUnsafe(frame.length() - Integer.BYTES, 0);
        chunks.write(frame.getSharedBuffer(), 0, frame.length());
    }
}
