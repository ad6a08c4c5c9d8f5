package dev.drrs.runtime.peer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Keeps the messages and lets a test wait for the end. */
class CollectingHandler implements PeerReader.Handler {

    private final List<ByteBuffer> messages = new ArrayList<>();
    private int openBatch;
    private int batches;
    private final CompletableFuture<Throwable> end = new CompletableFuture<>();

    @Override
    public synchronized void message(ByteBuffer message) throws Exception {
        // The buffer of a bulk message is lent for this call only.
        messages.add(ByteBuffer.allocate(message.remaining()).put(message.duplicate()).flip());
        openBatch++;
        notifyAll();
    }

    @Override
    public synchronized void batchEnd() {
        if (openBatch == 0) {
            throw new AssertionError("an empty batch");
        }
        openBatch = 0;
        batches++;
    }

    @Override
    public void closed(Throwable failure) {
        if (!end.complete(failure)) {
            throw new AssertionError("closed twice");
        }
    }

    synchronized List<ByteBuffer> messages() {
        return List.copyOf(messages);
    }

    synchronized int openBatch() {
        return openBatch;
    }

    synchronized int batches() {
        return batches;
    }

    synchronized void awaitMessages(int count) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (messages.size() < count) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError(messages.size() + " messages instead of " + count);
            }
            wait(left);
        }
    }

    /** How the exchange ended: null for well. */
    Throwable awaitEnd() throws InterruptedException, ExecutionException, TimeoutException {
        return end.get(60, TimeUnit.SECONDS);
    }
}
