package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RightOfWayTest {

    private final RightOfWay rightOfWay = new RightOfWay();
    private final CountDownLatch waits = new CountDownLatch(1);

    @Test
    void withoutUrgentWorkNobodyWaits() throws Exception {
        rightOfWay.giveWay(() -> false);
        rightOfWay.enter();
        rightOfWay.leave();
        rightOfWay.giveWay(() -> false);
    }

    @Test
    void whoGivesWayWaitsUntilAllUrgentWorkIsDone() throws Exception {
        rightOfWay.enter();
        rightOfWay.enter();
        CompletableFuture<Void> other = giveWay(() -> false);
        rightOfWay.leave();
        assertThat(other).isNotDone();
        rightOfWay.leave();
        other.get(30, TimeUnit.SECONDS);
    }

    @Test
    void whoIsNotWantedAnyMoreNeedNotWait() throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        rightOfWay.enter();
        CompletableFuture<Void> other = giveWay(stopped::get);
        stopped.set(true);
        rightOfWay.changed();
        other.get(30, TimeUnit.SECONDS);
    }

    @Test
    void aPauseIsAsLongAsItWasSaid() throws Exception {
        long began = System.nanoTime();
        rightOfWay.pause(1_000_000, () -> false);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(1_000_000);
        rightOfWay.pause(0, () -> false);
    }

    @Test
    void whoIsNotWantedAnyMoreNeedNotPause() throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        CompletableFuture<Void> other =
                inAThread(unless -> rightOfWay.pause(Long.MAX_VALUE / 2, unless), stopped::get);
        stopped.set(true);
        rightOfWay.changed();
        other.get(30, TimeUnit.SECONDS);
    }

    private CompletableFuture<Void> giveWay(BooleanSupplier unless) throws Exception {
        return inAThread(rightOfWay::giveWay, unless);
    }

    private interface Wait {
        void until(BooleanSupplier unless) throws InterruptedException;
    }

    /** In a thread of its own, which has found on return that it has to wait. */
    private CompletableFuture<Void> inAThread(Wait wait, BooleanSupplier unless) throws Exception {
        CompletableFuture<Void> other =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                wait.until(
                                        () -> {
                                            waits.countDown();
                                            return unless.getAsBoolean();
                                        });
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        waits.await();
        return other;
    }
}
