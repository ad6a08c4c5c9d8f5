package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BacklogTest {

    private static final long BOUND = 100;

    private final Deque<ThrowingRunnable<Exception>> mailbox = new ArrayDeque<>();
    private final List<String> log = new ArrayList<>();
    private final Backlog backlog = new Backlog(mailbox::addAll, BOUND);

    @Test
    void aReaderWaitsWhileTooMuchWaitsForTheMailbox() throws Exception {
        hand("a", BOUND - 1);
        hand("b", BOUND);
        CompletableFuture<Void> third = new CompletableFuture<>();
        Thread reader = reader(() -> hand("c", 1), third);
        workOff(2); // a: b alone is too much
        awaitWaiting(reader);
        assertThat(log).containsExactly("a");
        assertThat(third).isNotDone();

        workOff(2);
        third.get(10, TimeUnit.SECONDS);
        workOff(2);
        assertThat(log).containsExactly("a", "b", "c");
        assertThat(mailbox).isEmpty();
    }

    @Test
    void stateGoesPastWhatWaits() throws Exception {
        hand("a", BOUND);
        hand("state", 0);
        workOff(3);
        assertThat(log).containsExactly("a", "state");
    }

    @Test
    @Timeout(10)
    void oneBatchGoesWhateverTheBound() throws Exception {
        Backlog narrow = new Backlog(mailbox::addAll, 0);
        narrow.hand(List.of(() -> log.add("a")), 7);
        workOff(2);
        narrow.hand(List.of(() -> log.add("b")), 7);
        workOff(2);
        assertThat(log).containsExactly("a", "b");
    }

    @Test
    void aReaderThatIsClosedWaitsNoLonger() throws Exception {
        hand("a", BOUND);
        CompletableFuture<Void> second = new CompletableFuture<>();
        Thread reader = reader(() -> hand("b", 1), second);
        awaitWaiting(reader);
        reader.interrupt();
        assertThat(second.handle((done, failure) -> failure).get(10, TimeUnit.SECONDS))
                .isInstanceOf(InterruptedException.class);
        workOff(2);
        assertThat(mailbox).isEmpty();
    }

    private void hand(String element, long bytes) throws InterruptedException {
        backlog.hand(List.of(() -> log.add(element)), bytes);
    }

    private void workOff(int mails) throws Exception {
        for (int i = 0; i < mails; i++) {
            mailbox.remove().run();
        }
    }

    private static Thread reader(
            ThrowingRunnable<InterruptedException> hands, CompletableFuture<Void> end) {
        Thread reader =
                new Thread(
                        () -> {
                            try {
                                hands.run();
                                end.complete(null);
                            } catch (Throwable t) {
                                end.completeExceptionally(t);
                            }
                        });
        reader.start();
        return reader;
    }

    private static void awaitWaiting(Thread reader) {
        while (reader.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }
}
