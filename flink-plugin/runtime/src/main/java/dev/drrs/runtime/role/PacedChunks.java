package dev.drrs.runtime.role;

import dev.drrs.runtime.LostService;
import dev.drrs.runtime.state.ChunkSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * Chunks that are handed on at once; whoever makes them rests afterwards if it is due. Waiting for
 * room counts as no work. The thread that writes them.
 */
final class PacedChunks implements ChunkSink {

    private final ChunkSink sink;
    private final Throttle throttle;
    private final LostService budget;
    private final BooleanSupplier unless;
    private long workingSince = System.nanoTime();

    /**
     * @param unless there is nothing to rest for any more
     */
    PacedChunks(ChunkSink sink, Throttle throttle, LostService budget, BooleanSupplier unless) {
        this.sink = sink;
        this.throttle = throttle;
        this.budget = budget;
        this.unless = unless;
    }

    @Override
    public int headroom() {
        return sink.headroom();
    }

    @Override
    public byte[] buffer(int bytes) {
        return sink.buffer(bytes);
    }

    @Override
    public void accept(int keyGroup, ByteBuffer chunk, boolean last)
            throws IOException, InterruptedException {
        long worked = System.nanoTime() - workingSince;
        sink.accept(keyGroup, chunk, last);
        throttle.rest(budget, worked, unless);
        workingSince = System.nanoTime();
    }
}
