package dev.drrs.dist;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A place where a thread of a job stands still once, until the test lets it go on or fail. */
final class Hold {

    private static final int LIMIT_SECONDS = 300;

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean fails;

    void awaitReached() throws InterruptedException {
        if (!reached.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("nobody came there");
        }
    }

    boolean isReached() {
        return reached.getCount() == 0;
    }

    void goOn() {
        over.countDown();
    }

    /** With an exception. */
    void fail() {
        fails = true;
        over.countDown();
    }

    /** The thread stands here. */
    void stand() {
        reached.countDown();
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in a hold", e);
        }
        if (fails) {
            throw new IllegalStateException("made to fail by the test, after a hold");
        }
    }
}
