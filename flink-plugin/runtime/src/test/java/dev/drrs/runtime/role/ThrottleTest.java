package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.LostService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ThrottleTest {

    private static final LostService QUARTER = new LostService(0.25);
    private static final long WORKED = 2_000_000;

    @Test
    void aMachineThatIsFullHasAThreadRestAsLongAsItsShareAsks() throws Exception {
        long began = System.nanoTime();
        new Throttle(() -> true).rest(QUARTER, WORKED, () -> false);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(3 * WORKED);
    }

    /** A thread sleeps a millisecond at least: rests of microseconds would be most of its time. */
    @Test
    void shortRestsAreAddedUp() throws Exception {
        AtomicInteger slept = new AtomicInteger();
        Throttle throttle =
                new Throttle(
                        () -> {
                            slept.incrementAndGet();
                            return true;
                        });
        int pieces = 100;
        for (int i = 0; i < pieces; i++) {
            throttle.rest(new LostService(0.5), Throttle.SHORTEST_NANOS / 10, () -> true);
        }
        assertThat(slept).hasValue(pieces / 10);
    }

    @Test
    void nobodyRestsWhileCoresAreFree() throws Exception {
        AtomicBoolean asked = new AtomicBoolean();
        new Throttle(() -> false).rest(QUARTER, Long.MAX_VALUE / 8, () -> asked.getAndSet(true));
        assertThat(asked).isFalse();
    }

    @Test
    void aShareOfAllNeedsNoLookAtTheMachine() throws Exception {
        AtomicBoolean looked = new AtomicBoolean();
        new Throttle(() -> looked.getAndSet(true)).rest(new LostService(1), WORKED, () -> false);
        assertThat(looked).isFalse();
    }

    /** The rest is so long that the test would not see its end. */
    @Test
    void whoIsNotWantedAnyMoreOrEndsNeedNotRest() throws Exception {
        Throttle throttle = new Throttle(() -> true);
        AtomicBoolean stopped = new AtomicBoolean();
        CountDownLatch rests = new CountDownLatch(1);
        CompletableFuture<String> woken = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                do {
                                    throttle.rest(
                                            QUARTER,
                                            Throttle.LONGEST_NANOS,
                                            () -> {
                                                rests.countDown();
                                                return stopped.get();
                                            });
                                } while (!stopped.get());
                                throttle.rest(QUARTER, Throttle.LONGEST_NANOS, () -> true);
                                throttle.rest(QUARTER, Long.MAX_VALUE / 8, () -> false);
                                woken.complete("at the end of its rest");
                            } catch (InterruptedException e) {
                                woken.complete("by the end of its task");
                            }
                        });
        thread.start();
        rests.await();
        stopped.set(true);
        throttle.changed();
        thread.interrupt();
        assertThat(woken.get(30, TimeUnit.SECONDS)).isEqualTo("by the end of its task");
    }
}
