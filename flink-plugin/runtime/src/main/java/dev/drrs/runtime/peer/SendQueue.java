package dev.drrs.runtime.peer;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What waits to be sent, in two lanes: signals first in first out and never blocking, bulk bounded
 * and blocking. Also the producer's state, so that one lock orders everything.
 */
final class SendQueue {

    /** Where the producer is; only ever moves to a later value. */
    enum State {
        OPEN,
        /** No more messages are taken, those queued go out. */
        FINISHING,
        /** Nothing more goes out. */
        STOPPED
    }

    /**
     * @param chunk whether the payload's array is one of {@link #chunkBuffer}
     */
    record Entry(Frame.Kind kind, ByteBuffer payload, boolean chunk) {}

    private final PeerOptions options;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition bulkRoom = lock.newCondition();
    private final Condition feedback = lock.newCondition();
    private final Deque<Entry> signals = new ArrayDeque<>();
    private final Deque<Entry> bulk = new ArrayDeque<>();

    /** Arrays of chunks that have been sent; all of one length. */
    private final Deque<byte[]> spare = new ArrayDeque<>();

    private State state = State.OPEN;
    private Throwable stopCause;
    private long signalBytes;
    private int signalCount;
    private long bulkBytes;
    private int chunkLength;
    private boolean full;
    private boolean connected;
    private boolean handled;
    private boolean consumerGone;

    SendQueue(PeerOptions options) {
        this.options = options;
    }

    /** Never blocks (the lock is held for a few instructions only). */
    void putSignal(ByteBuffer payload) throws PeerClosedException {
        lock.lock();
        try {
            checkOpen();
            signals.add(new Entry(Frame.Kind.SIGNAL, payload, false));
            signalBytes += payload.remaining();
            signalCount++;
            full |= !roomForSignals(1);
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Blocks while the lane is full; a message larger than the lane goes in when the lane is empty.
     */
    void putBulk(Frame.Kind kind, ByteBuffer payload, boolean chunk)
            throws PeerClosedException, InterruptedException {
        lock.lockInterruptibly();
        try {
            checkOpen();
            int size = payload.remaining();
            while (bulkBytes > 0 && bulkBytes + size > options.bulkQueueBytes()) {
                bulkRoom.await();
                checkOpen();
            }
            bulk.add(new Entry(kind, payload, chunk));
            bulkBytes += size;
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    boolean hasRoom() {
        lock.lock();
        try {
            return state == State.OPEN && roomForSignals(1);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until there is something to do.
     *
     * @return false if nothing more is to be sent: stopped, or finishing with both lanes empty
     */
    boolean awaitWork(boolean bulkInHand) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (state == State.OPEN && !bulkInHand && signals.isEmpty() && bulk.isEmpty()) {
                work.await();
            }
            return state != State.STOPPED && (bulkInHand || !signals.isEmpty() || !bulk.isEmpty());
        } finally {
            lock.unlock();
        }
    }

    /** The next signal or null. It counts as queued until {@link #signalSent}. */
    Entry pollSignal() {
        lock.lock();
        try {
            return signals.poll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * A signal has gone into the network.
     *
     * @return true if the lane, full before, now has fallen below half of its bounds
     */
    boolean signalSent(int bytes) {
        lock.lock();
        try {
            signalBytes -= bytes;
            signalCount--;
            if (full && state != State.STOPPED && roomForSignals(2)) {
                full = false;
                return true;
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** The next bulk message or null. It counts as queued until {@link #bulkSent}. */
    Entry pollBulk() {
        lock.lock();
        try {
            return bulk.poll();
        } finally {
            lock.unlock();
        }
    }

    void bulkSent(Entry entry, int bytes) {
        lock.lock();
        try {
            bulkBytes -= bytes;
            if (entry.chunk() && state != State.STOPPED) {
                keep(entry.payload().array());
            }
            bulkRoom.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** No more than may wait in the lane, and only those of the length asked for last. */
    private void keep(byte[] array) {
        if (array.length == chunkLength
                && (spare.size() + 1L) * array.length <= options.bulkQueueBytes()) {
            spare.push(array);
        }
    }

    /** One that has been sent, or a new one. */
    byte[] chunkBuffer(int length) {
        lock.lock();
        try {
            if (length != chunkLength) {
                spare.clear();
                chunkLength = length;
            }
            byte[] array = spare.poll();
            return array != null ? array : new byte[length];
        } finally {
            lock.unlock();
        }
    }

    boolean signalsEmpty() {
        lock.lock();
        try {
            return signals.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    boolean bulkEmpty() {
        lock.lock();
        try {
            return bulk.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    void finish() {
        lock.lock();
        try {
            if (state == State.OPEN) {
                state = State.FINISHING;
                work.signalAll();
                bulkRoom.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Drops everything queued and lets every waiting thread go.
     *
     * @return false if it had stopped before
     */
    boolean stop(Throwable cause) {
        lock.lock();
        try {
            if (state == State.STOPPED) {
                return false;
            }
            state = State.STOPPED;
            stopCause = cause;
            signals.clear();
            bulk.clear();
            spare.clear();
            work.signalAll();
            bulkRoom.signalAll();
            feedback.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    boolean stopped() {
        lock.lock();
        try {
            return state == State.STOPPED;
        } finally {
            lock.unlock();
        }
    }

    /** Why it stopped, null if it did not. */
    Throwable stopCause() {
        lock.lock();
        try {
            return stopCause;
        } finally {
            lock.unlock();
        }
    }

    void onFeedback(PeerFeedbackEvent.Kind kind) {
        lock.lock();
        try {
            switch (kind) {
                case CONNECTED -> connected = true;
                case HANDLED -> handled = true;
                case CLOSED, ENDED -> consumerGone = true;
            }
            feedback.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean connected() {
        lock.lock();
        try {
            return connected;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the consumer has handled the whole stream; false if the producer was stopped
     * instead.
     */
    boolean awaitHandled() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!handled && state != State.STOPPED) {
                feedback.await();
            }
            return handled;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a consumer that is known to be there has gone, at most {@code limit}. */
    void awaitConsumerGone(Duration limit) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = TimeUnit.NANOSECONDS.convert(limit);
            while (connected && !consumerGone && !handled && left > 0) {
                left = feedback.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean roomForSignals(int divisor) {
        return signalBytes < Math.max(1, options.signalQueueBytes() / divisor)
                && signalCount < Math.max(1, options.signalQueueMessages() / divisor);
    }

    private void checkOpen() throws PeerClosedException {
        if (state != State.OPEN) {
            throw state == State.FINISHING
                    ? new PeerClosedException(
                            "The peer exchange has been finished: it takes no more messages.")
                    : new PeerClosedException(
                            "The peer exchange is closed: " + PeerClosedException.reason(stopCause),
                            stopCause);
        }
    }
}
