package dev.drrs.dist;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.CopyableValue;

/**
 * State of a key that can be held on its way from an old owner to a new one: it is serialized by a
 * thread of its own then, so that only its key group waits. Checkpoints write it without a hold.
 */
public final class HeldState implements CopyableValue<HeldState> {

    private static final String TRANSFER_THREADS = "drrs-transfer-";
    private static final String COPYING_THREADS = "drrs-copy-";

    /** By key; tests that use it run one after the other. */
    private static final Map<Integer, Hold> HOLDS = new ConcurrentHashMap<>();

    private static final Map<Integer, Hold> COPY_HOLDS = new ConcurrentHashMap<>();

    private int key;

    /** For Flink. */
    public HeldState() {}

    HeldState(int key) {
        this.key = key;
    }

    static Hold hold(int key) {
        Hold hold = new Hold();
        HOLDS.put(key, hold);
        return hold;
    }

    /** Where a copy of it goes ahead. */
    static Hold holdCopy(int key) {
        Hold hold = new Hold();
        COPY_HOLDS.put(key, hold);
        return hold;
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        standIf(HOLDS, TRANSFER_THREADS);
        standIf(COPY_HOLDS, COPYING_THREADS);
        out.writeInt(key);
    }

    private void standIf(Map<Integer, Hold> holds, String threads) {
        Hold hold = holds.get(key);
        if (hold != null && Thread.currentThread().getName().startsWith(threads)) {
            holds.remove(key);
            hold.stand();
        }
    }

    @Override
    public void read(DataInputView in) throws IOException {
        key = in.readInt();
    }

    @Override
    public int getBinaryLength() {
        return Integer.BYTES;
    }

    @Override
    public void copyTo(HeldState target) {
        target.key = key;
    }

    @Override
    public HeldState copy() {
        return new HeldState(key);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        target.write(source, Integer.BYTES);
    }
}
