package dev.drrs.runtime.role;

import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.LostService;
import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.peer.PeerWriter;
import dev.drrs.runtime.state.ChunkSink;
import dev.drrs.runtime.state.CopiedKeyGroups;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.task.ElasticTask;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of key groups that go ahead of them, at their old owner. A copy is taken in the mailbox
 * and sent by a thread of its own, chunk by chunk, which keeps to a rate and gives way to key
 * groups that have left.
 *
 * <p>Crossing point: all in the mailbox thread, but for {@link Copy#send}; the two share the rate,
 * and the mark that a copy is to stop.
 */
final class CopySender {

    private static final Logger LOG = LoggerFactory.getLogger(CopySender.class);

    private static final int SIZE_SAMPLES = 4;

    private final ElasticTask task;
    private final Executor thread;
    private final RightOfWay rightOfWay;
    private final Throttle throttle;
    private final LostService budget;
    private final IntFunction<PeerWriter> writers;
    private final IntConsumer copied;
    private final Map<Integer, Copy> copies = new HashMap<>();
    private final CopyPace pace = new CopyPace();

    /** Made at the first rescale. */
    private MovableState state;

    /** Bytes by key group when the present rescale began to copy; null before. */
    private long[] bytes;

    /**
     * @param thread runs one copy after the other
     * @param budget of the machine's time, while it has nothing left
     * @param writers to new owners
     * @param copied is told the subscale, in the mailbox, when nothing is sent of it any more
     */
    CopySender(
            ElasticTask task,
            Executor thread,
            RightOfWay rightOfWay,
            Throttle throttle,
            LostService budget,
            IntFunction<PeerWriter> writers,
            IntConsumer copied) {
        this.task = task;
        this.thread = thread;
        this.rightOfWay = rightOfWay;
        this.throttle = throttle;
        this.budget = budget;
        this.writers = writers;
        this.copied = copied;
    }

    void state(MovableState movable) {
        state = movable;
    }

    /** As {@link CopyPace#rate}. */
    void rate(long bytesPerSecond) {
        pace.rate(bytesPerSecond);
    }

    /** Bytes where the state is kept, from samples that hold for the whole rescale. */
    long size(Subscale subscale) throws RescaleFailedException {
        if (bytes == null) {
            try {
                bytes = state.room().taken(state.mover().sizes(SIZE_SAMPLES));
            } catch (RuntimeException e) { // of the user's serializers
                throw new RescaleFailedException(subscale + " could not be copied ahead", e);
            }
        }
        long sum = 0;
        for (int keyGroup : subscale.keyGroups()) {
            sum += bytes[keyGroup];
        }
        return sum;
    }

    void begin(Subscale subscale) throws RescaleFailedException {
        Copy copy = new Copy(subscale, groups(subscale), writers.apply(subscale.newOwner()));
        copies.put(subscale.id(), copy);
        try {
            thread.execute(copy::send);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} is not copied ahead, the task ends.", subscale);
        }
    }

    /** Null where the backend makes no copies: then there is nothing to send. */
    private CopiedKeyGroups groups(Subscale subscale) throws RescaleFailedException {
        try {
            return state.mover().copy(subscale.keyGroups());
        } catch (RuntimeException e) {
            throw new RescaleFailedException(subscale + " could not be copied ahead", e);
        }
    }

    void stop(Subscale subscale) {
        copies.get(subscale.id()).stopped = true;
        rightOfWay.changed();
        throttle.changed();
    }

    /** It has been sent for nothing. */
    void drop(Subscale subscale) {
        Copy copy = copies.remove(subscale.id());
        if (copy.groups != null) {
            copy.groups.release();
        }
    }

    /** What it has become is with the key groups that have left. */
    void detached(Subscale subscale) {
        copies.remove(subscale.id());
    }

    void rescaleEnded() {
        bytes = null;
    }

    private static final class StoppedException extends IOException {
        private static final long serialVersionUID = 1L;

        StoppedException() {
            super("a copy is not wanted any more");
        }
    }

    private final class Copy implements ChunkSink {

        private final Subscale subscale;
        private final CopiedKeyGroups groups;
        private final PeerChunks chunks;
        private volatile boolean stopped;

        Copy(Subscale subscale, CopiedKeyGroups groups, PeerWriter writer) {
            this.subscale = subscale;
            this.groups = groups;
            this.chunks = new PeerChunks(subscale.id(), KeyBin.ALL, writer);
        }

        void send() {
            ChunkSink paced = new PacedChunks(this, throttle, budget, () -> stopped);
            try {
                for (int i = 0; groups != null && i < subscale.keyGroups().length; i++) {
                    groups.write(subscale.keyGroups()[i], paced);
                }
            } catch (StoppedException e) {
                LOG.debug("The copy of {} has stopped.", subscale);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the task ends
                return;
            } catch (Throwable t) { // also an Error: nobody else would hear of it
                task.fail(subscale + " could not be copied ahead", t);
                return;
            }
            task.executeIfRunning(
                    () -> copied.accept(subscale.id()), "a subscale has been copied ahead");
        }

        @Override
        public int headroom() {
            return chunks.headroom();
        }

        @Override
        public byte[] buffer(int bytes) {
            return chunks.buffer(bytes);
        }

        @Override
        public void accept(int keyGroup, ByteBuffer chunk, boolean last)
                throws IOException, InterruptedException {
            rightOfWay.pause(pace.nanosLeft(System.nanoTime()), () -> stopped);
            rightOfWay.giveWay(() -> stopped);
            if (stopped) {
                throw new StoppedException();
            }
            pace.sent(chunk.remaining(), System.nanoTime());
            chunks.accept(keyGroup, chunk, last);
        }
    }
}
