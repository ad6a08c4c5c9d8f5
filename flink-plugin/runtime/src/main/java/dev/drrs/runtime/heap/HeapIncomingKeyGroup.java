package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.StateMismatchException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;

/** Builds the state maps and queue elements of one key group outside the operator. */
final class HeapIncomingKeyGroup implements IncomingKeyGroup, FrameAssembler.Handler {

    private final HeapKeyedStateMover mover;
    private final ReaderPool pool;
    private final int subscale;
    private final int keyGroup;
    private final FrameAssembler frames = new FrameAssembler();
    private final List<Part> parts = new ArrayList<>();

    private ReaderPool.Bytes keySerializer;
    private ReaderPool.Readers readers;
    private long entries;
    private boolean complete;
    private boolean installed;

    /** What came of one state: entries in a map, or elements of a queue. */
    record Part(
            StateDescription description,
            CopyOnWriteStateMap<Object, Object, Object> map,
            List<Object> elements) {}

    HeapIncomingKeyGroup(HeapKeyedStateMover mover, ReaderPool pool, int subscale, int keyGroup) {
        this.mover = mover;
        this.pool = pool;
        this.subscale = subscale;
        this.keyGroup = keyGroup;
    }

    @Override
    public int subscale() {
        return subscale;
    }

    @Override
    public int keyGroup() {
        return keyGroup;
    }

    @Override
    public boolean isComplete() {
        return complete;
    }

    @Override
    public long entries() {
        return entries;
    }

    @Override
    public boolean add(ByteBuffer chunk) throws IOException {
        if (complete) {
            throw new IllegalStateException(this + " is complete already.");
        }
        try {
            frames.add(chunk, this);
        } catch (IOException | RuntimeException e) {
            throw new IOException(this + " cannot be taken in: " + e.getMessage(), e);
        }
        if (complete) {
            frames.release();
        }
        return complete;
    }

    @Override
    public void announced(byte type) throws IOException {
        if (complete || (keySerializer == null) != (type == Frames.HEADER)) {
            throw new IOException("a frame of type " + type + " is out of place.");
        }
    }

    @Override
    public void frame(byte type, DataInputDeserializer body) throws IOException {
        switch (type) {
            case Frames.HEADER -> header(body);
            case Frames.STATE -> state(rest(body));
            case Frames.ENTRIES -> entries(body);
            case Frames.END -> end(body);
            default -> throw new IOException("a frame has the unknown type " + type + ".");
        }
    }

    private void header(DataInputDeserializer body) throws IOException {
        int format = body.readInt();
        if (format != Frames.FORMAT) {
            throw new IOException(
                    "it was sent in format "
                            + format
                            + ", this TaskManager reads format "
                            + Frames.FORMAT
                            + "; use one version of the plug-in everywhere.");
        }
        int sent = body.readInt();
        if (sent != keyGroup) {
            throw new IOException("the chunks are those of key group " + sent + ".");
        }
        keySerializer = new ReaderPool.Bytes(rest(body));
    }

    private void state(byte[] description) throws IOException {
        giveBack();
        readers = pool.lend(keySerializer, description);
        boolean queue = readers.description().isQueue();
        parts.add(
                new Part(
                        readers.description(),
                        queue ? null : readers.entries().newMap(),
                        queue ? new ArrayList<>() : null));
    }

    private void entries(DataInputDeserializer body) throws IOException {
        if (readers == null) {
            throw new IOException("entries came before the description of their state.");
        }
        Part part = parts.get(parts.size() - 1);
        int count = body.readInt();
        try {
            for (int i = 0; i < count; i++) {
                if (part.map != null) {
                    readers.entries().read(body, part.map);
                } else {
                    TypeSerializer<?> serializer = readers.elements();
                    part.elements.add(serializer.deserialize(body));
                }
            }
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    "an entry of \""
                            + part.description.name()
                            + "\" cannot be deserialised: "
                            + e.getMessage(),
                    e);
        }
        entries += count;
    }

    private void end(DataInputDeserializer body) throws IOException {
        long sent = body.readLong();
        if (sent != entries) {
            throw new IOException(sent + " entries were sent, " + entries + " came.");
        }
        giveBack();
        complete = true;
    }

    private void giveBack() {
        if (readers != null) {
            pool.giveBack(readers);
            readers = null;
        }
    }

    private static byte[] rest(DataInputDeserializer body) throws IOException {
        byte[] bytes = new byte[body.available()];
        body.readFully(bytes);
        return bytes;
    }

    @Override
    public void install() throws StateMismatchException {
        if (!complete || installed) {
            throw new IllegalStateException(
                    this + (installed ? " was installed before." : " is not complete."));
        }
        mover.install(this);
        installed = true;
        parts.clear();
    }

    List<Part> parts() {
        return parts;
    }

    ReaderPool.Bytes keySerializer() {
        return keySerializer;
    }

    @Override
    public String toString() {
        return "Key group " + keyGroup + " of subscale " + subscale;
    }
}
