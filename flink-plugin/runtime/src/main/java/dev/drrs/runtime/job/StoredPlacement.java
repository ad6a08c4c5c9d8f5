package dev.drrs.runtime.job;

import dev.drrs.runtime.checkpoint.WrittenState;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * What an elastic vertex leaves in a checkpoint, as its coordinator state. Immutable; the arrays
 * are not to be changed.
 *
 * @param owners key group to subtask
 * @param active by subtask index, up to the ceiling
 * @param configured the parallelism that the job was submitted with
 * @param byKeyGroup whether the keyed state beside it is listed by key groups, as {@link
 *     WrittenState} does, and not by subtask
 */
public record StoredPlacement(int[] owners, boolean[] active, int configured, boolean byKeyGroup) {

    /** Marks the coordinator state as ours. */
    private static final int MAGIC = 0x64727273;

    private static final int VERSION = 2;

    public int maxParallelism() {
        return owners.length;
    }

    int ceiling() {
        return active.length;
    }

    int activeCount() {
        int count = 0;
        for (boolean is : active) {
            count += is ? 1 : 0;
        }
        return count;
    }

    public StoredPlacement listedByKeyGroup() {
        return new StoredPlacement(owners, active, configured, true);
    }

    public byte[] write() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(MAGIC);
            out.writeInt(VERSION);
            out.writeInt(configured);
            out.writeBoolean(byKeyGroup);
            out.writeInt(owners.length);
            for (int owner : owners) {
                out.writeInt(owner);
            }
            out.writeInt(active.length);
            for (boolean is : active) {
                out.writeBoolean(is);
            }
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    /**
     * The placement that was written beside this state.
     *
     * @return null if no elastic vertex wrote it
     * @throws IllegalStateException if another version of the plug-in wrote it
     */
    public static StoredPlacement of(OperatorState state) {
        ByteStreamStateHandle handle = state.getCoordinatorState();
        return handle == null ? null : read(handle.getData());
    }

    /** As {@link #of}, from the bytes, which may be null. */
    static StoredPlacement read(byte[] state) {
        if (state == null
                || state.length < Integer.BYTES
                || ByteBuffer.wrap(state).getInt() != MAGIC) {
            return null;
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(state))) {
            in.readInt();
            int version = in.readInt();
            if (version != VERSION) {
                throw new IllegalStateException(
                        "The placement in the restored state has version "
                                + version
                                + ", this plug-in reads version "
                                + VERSION
                                + ": restore with the plug-in that wrote it, or without any.");
            }
            int configured = in.readInt();
            boolean byKeyGroup = in.readBoolean();
            int[] owners = new int[in.readInt()];
            for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
                owners[keyGroup] = in.readInt();
            }
            boolean[] active = new boolean[in.readInt()];
            for (int subtask = 0; subtask < active.length; subtask++) {
                active[subtask] = in.readBoolean();
            }
            return new StoredPlacement(owners, active, configured, byKeyGroup);
        } catch (IOException e) {
            throw new IllegalStateException("The placement in the restored state is cut off.", e);
        }
    }
}
