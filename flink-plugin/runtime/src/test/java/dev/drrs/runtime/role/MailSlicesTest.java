package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.Test;

class MailSlicesTest {

    private static final long SLICE = 10;

    private final List<String> log = new ArrayList<>();
    private final Deque<ThrowingRunnable<Exception>> mailbox = new ArrayDeque<>();
    private long now;
    private final MailSlices slices =
            new MailSlices(mailbox::add, () -> log.add("end"), () -> now, SLICE);

    private ThrowingRunnable<Exception> work(String name, long nanos) {
        return () -> {
            log.add(name);
            now += nanos;
        };
    }

    private void runOne() throws Exception {
        mailbox.remove().run();
    }

    @Test
    void whatIsShortIsDoneInOneMail() throws Exception {
        slices.add(List.of(work("a", 1), work("b", 1)));
        slices.add(List.of(work("c", 1)));
        assertThat(mailbox).hasSize(1);
        runOne();
        assertThat(log).containsExactly("a", "b", "c", "end");
        assertThat(mailbox).isEmpty();
    }

    @Test
    void whatIsLongLeavesTheMailboxInBetweenAndKeepsItsOrder() throws Exception {
        slices.add(List.of(work("a", 6), work("b", 6), work("c", 6)));
        runOne();
        assertThat(log).containsExactly("a", "b", "end");
        mailbox.add(() -> log.add("other mail"));
        slices.add(List.of(work("d", 1)));
        runOne();
        assertThat(log).containsExactly("a", "b", "end", "c", "d", "end");
        runOne();
        assertThat(mailbox).isEmpty();
    }

    @Test
    void whatComesWhileAMailWorksIsDoneByItOrTheNext() throws Exception {
        slices.add(List.of(() -> slices.add(List.of(work("inner", 1))), work("a", SLICE)));
        runOne();
        assertThat(log).containsExactly("a", "end");
        runOne();
        assertThat(log).containsExactly("a", "end", "inner", "end");
        assertThat(mailbox).isEmpty();
    }

    /** A mail that ends in the moment in which more comes must not leave that behind. */
    @Test
    void nothingIsLeftBehindBetweenTwoThreads() throws Exception {
        int total = 200_000;
        LinkedBlockingQueue<ThrowingRunnable<Exception>> mails = new LinkedBlockingQueue<>();
        List<Integer> done = new ArrayList<>();
        MailSlices both = new MailSlices(mails::add, () -> {}, System::nanoTime, 1_000);
        Thread adds =
                new Thread(
                        () -> {
                            for (int i = 0; i < total; i++) {
                                int number = i;
                                both.add(List.of(() -> done.add(number)));
                            }
                        });
        adds.start();
        while (done.size() < total) {
            mails.take().run();
        }
        adds.join();
        assertThat(done).isSorted().doesNotHaveDuplicates();
    }
}
