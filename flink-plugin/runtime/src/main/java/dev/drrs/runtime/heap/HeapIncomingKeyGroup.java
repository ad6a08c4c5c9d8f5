package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.StateMismatchException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;

/** Builds the state maps and queue elements of one key group outside the operator. */
final class HeapIncomingKeyGroup implements IncomingKeyGroup, FrameAssembler.Handler {

    private final HeapKeyedStateMover mover;
    private final ReaderPool pool;
    private final int subscale;
    private final int keyGroup;
    private final KeyBin bin;
    private final FrameAssembler frames = new FrameAssembler();
    private final List<Part> parts = new ArrayList<>();

    private ReaderPool.Bytes keySerializer;
    private ReaderPool.Readers readers;

    /** What a copy that came ahead has of states that have not been named again; null without. */
    private Map<StateDescription, Part> copy;

    /** It waits for what follows, and should take no more room than it has to. */
    private boolean copyEnded;

    private boolean complete;
    private boolean installed;

    /** What came of one state: entries in a map, or elements of a queue. */
    record Part(
            StateDescription description,
            CopyOnWriteStateMap<Object, Object, Object> map,
            List<Object> elements) {}

    HeapIncomingKeyGroup(
            HeapKeyedStateMover mover, ReaderPool pool, int subscale, int keyGroup, KeyBin bin) {
        this.mover = mover;
        this.pool = pool;
        this.subscale = subscale;
        this.keyGroup = keyGroup;
        this.bin = bin;
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
    public KeyBin bin() {
        return bin;
    }

    @Override
    public boolean isComplete() {
        return complete;
    }

    @Override
    public long entries() {
        return entries(parts) + (copy == null ? 0 : entries(copy.values()));
    }

    private static long entries(Collection<Part> parts) {
        long entries = 0;
        for (Part part : parts) {
            entries += part.map != null ? part.map.size() : part.elements.size();
        }
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
        if (complete || copyEnded) {
            frames.release();
            copyEnded = false;
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
            case Frames.COPIED -> copied(body);
            case Frames.CHANGES -> changes(rest(body));
            case Frames.REMOVED -> removed(body);
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
    }

    /** All that has come was a copy: what it is now follows. */
    private void copied(DataInputDeserializer body) throws IOException {
        if (copy != null) {
            throw new IOException("a second copy of it came.");
        }
        checkEntries(body.readLong(), parts);
        giveBack();
        copyEnded = true;
        copy = new HashMap<>();
        parts.forEach(part -> copy.put(part.description, part));
        parts.clear();
    }

    private void changes(byte[] description) throws IOException {
        giveBack();
        readers = pool.lend(keySerializer, description);
        Part changed = copy == null ? null : copy.remove(readers.description());
        if (changed == null) {
            throw new IOException(
                    "changes of \""
                            + readers.description().name()
                            + "\" came without what they change.");
        }
        parts.add(changed);
    }

    private void removed(DataInputDeserializer body) throws IOException {
        if (readers == null || parts.get(parts.size() - 1).map == null) {
            throw new IOException("removed entries came before the description of their state.");
        }
        Part part = parts.get(parts.size() - 1);
        int count = body.readInt();
        for (int i = 0; i < count; i++) {
            readers.entries().remove(body, part.map);
        }
    }

    private void end(DataInputDeserializer body) throws IOException {
        checkEntries(body.readLong(), parts);
        giveBack();
        copy = null; // what is left of it has gone meanwhile
        complete = true;
    }

    /** With changes also that none got lost that made entries more or fewer. */
    private static void checkEntries(long sent, Collection<Part> came) throws IOException {
        if (sent != entries(came)) {
            throw new IOException(sent + " entries were sent, " + entries(came) + " came.");
        }
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
        String some = bin.isAll() ? "" : ", bin " + bin.number() + " of " + bin.of() + ",";
        return "Key group " + keyGroup + some + " of subscale " + subscale;
    }
}
