package org.apache.flink.runtime.io.network.buffer;

import dev.drrs.flink.BufferMembers;
import dev.drrs.flink.Handles;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Set;
import org.apache.flink.util.ExceptionUtils;

/**
 * The plug-in's way to the accounts of a TaskManager's network buffers: how many of them are
 * promised to pools and channels. Flink lets a pool have what it was promised at its creation for
 * its whole life; here that may change. Nothing is taken from anybody: what is promised and not
 * used is lent to other pools, which give it back as they go.
 *
 * <p>Any thread. All changes are made under the lock that Flink has for them.
 */
public final class DrrsBufferAccess {

    private static final VarHandle LOCK = Handles.field(BufferMembers.FACTORY_LOCK);
    private static final VarHandle PROMISED = Handles.field(BufferMembers.PROMISED);
    private static final VarHandle POOLS = Handles.field(BufferMembers.POOLS);
    private static final VarHandle RESIZABLE = Handles.field(BufferMembers.RESIZABLE);
    private static final VarHandle GLOBAL = Handles.field(BufferMembers.GLOBAL_POOL);
    private static final VarHandle SEGMENTS = Handles.field(BufferMembers.SEGMENTS);
    private static final VarHandle REQUIRED = Handles.field(BufferMembers.REQUIRED);
    private static final VarHandle MAX = Handles.field(BufferMembers.MAX);
    private static final MethodHandle REDISTRIBUTE = Handles.method(BufferMembers.REDISTRIBUTE);

    private DrrsBufferAccess() {}

    /** How many buffers of the TaskManager are promised to nobody. */
    public static int free(NetworkBufferPool global) {
        synchronized (LOCK.get(global)) {
            return global.getTotalNumberOfMemorySegments() - (int) PROMISED.get(global);
        }
    }

    /**
     * Keeps so many buffers free for a pool or channel that is still to be made.
     *
     * @return false if the TaskManager has not that many; nothing has changed then
     */
    public static boolean reserve(NetworkBufferPool global, int buffers) {
        synchronized (LOCK.get(global)) {
            if (buffers > 0 && buffers > free(global)) {
                return false;
            }
            promise(global, buffers);
            redistribute(global);
            return true;
        }
    }

    /** The opposite of {@link #reserve}. */
    public static void release(NetworkBufferPool global, int buffers) {
        reserve(global, -buffers);
    }

    /**
     * Changes how many buffers a pool gets in any case, and how many it may use at most. A pool
     * that is gone stays as it was.
     *
     * @return false if the TaskManager has not that many; nothing has changed then
     */
    public static boolean resize(BufferPool pool, int required, int max) {
        LocalBufferPool local = (LocalBufferPool) pool;
        NetworkBufferPool global = (NetworkBufferPool) GLOBAL.get(local);
        synchronized (LOCK.get(global)) {
            if (!((Set<?>) POOLS.get(global)).contains(local)) {
                return true;
            }
            int more = required - local.getNumberOfRequiredMemorySegments();
            if (more > 0 && more > free(global)) {
                return false;
            }
            promise(global, more);
            synchronized (SEGMENTS.get(local)) {
                REQUIRED.set(local, required);
                MAX.set(local, max);
            }
            resizable(global, local, required < max);
            local.setNumBuffers(required);
            redistribute(global);
            return true;
        }
    }

    private static void promise(NetworkBufferPool global, int more) {
        PROMISED.set(global, (int) PROMISED.get(global) + more);
    }

    @SuppressWarnings("unchecked")
    private static void resizable(NetworkBufferPool global, LocalBufferPool local, boolean is) {
        Set<LocalBufferPool> pools = (Set<LocalBufferPool>) RESIZABLE.get(global);
        if (is) {
            pools.add(local);
        } else {
            pools.remove(local);
        }
    }

    private static void redistribute(NetworkBufferPool global) {
        try {
            REDISTRIBUTE.invoke(global);
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
        }
    }
}
