package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.StateRoom;
import dev.drrs.runtime.state.StateSizes;

/**
 * How much heap state takes, and how much a JVM has for more of it. Any thread.
 *
 * <p>Both are estimates: of serialized samples, and of the heap as a whole, in which other tasks
 * allocate too.
 */
final class HeapRoom implements StateRoom {

    /** Of an entry beside its serialized form: its object in the map, headers, references. */
    private static final int BYTES_PER_ENTRY = 128;

    /** A heap is not filled to the last byte: one part in so many stays free. */
    private static final int RESERVE = 10;

    @Override
    public long[] taken(StateSizes sizes) {
        return taken(sizes, used());
    }

    /**
     * @param used bytes that all of it takes at most: a large entry among few samples would
     *     otherwise stand for all entries
     */
    static long[] taken(StateSizes sizes, long used) {
        long[] taken = new long[sizes.firstKeyGroup() + sizes.numberOfKeyGroups()];
        double sum = 0;
        for (int i = sizes.firstKeyGroup(); i < taken.length; i++) {
            taken[i] = sizes.bytes(i) + BYTES_PER_ENTRY * sizes.entries(i);
            sum += taken[i];
        }
        double share = sum > used ? used / sum : 1;
        for (int i = 0; i < taken.length; i++) {
            taken[i] = (long) (taken[i] * share);
        }
        return taken;
    }

    /**
     * If fewer bytes are free than wanted with the garbage counted, it is collected first: a pause
     * that is shorter than what follows from a full heap.
     */
    @Override
    public long free(long wanted) {
        long free = now();
        if (free < wanted) {
            System.gc();
            free = now();
        }
        return Math.max(0, free);
    }

    private static long now() {
        long most = Runtime.getRuntime().maxMemory();
        return most - most / RESERVE - used();
    }

    private static long used() {
        Runtime heap = Runtime.getRuntime();
        return heap.totalMemory() - heap.freeMemory();
    }
}
