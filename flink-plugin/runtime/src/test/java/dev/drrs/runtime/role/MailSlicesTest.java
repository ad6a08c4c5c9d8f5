package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.LostService;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.Test;

class MailSlicesTest {

    private static final long SLICE = 3_000_000;
    private static final LostService WITHOUT_REST = new LostService(1);

    private final PlayedTask task = new PlayedTask();
    private final List<String> log = new ArrayList<>();
    private final ServedTime served = new ServedTime(task::clock);
    private final PlayedReleased released = new PlayedReleased();
    private MailSlices slices = slices(WITHOUT_REST);

    private MailSlices slices(LostService budget) {
        return new MailSlices(
                task, released, () -> log.add("end"), task::clock, SLICE, budget, served);
    }

    /** Records that have waited and are let go, each of which takes as long. */
    private final class PlayedReleased implements MailSlices.Released {

        int records;
        long nanos;

        @Override
        public boolean hasReleased() {
            return records > 0;
        }

        @Override
        public void takeReleased() {
            while (records > 0 && slices.takesMore()) {
                records--;
                long began = served.begin();
                log.add("record");
                task.pass(nanos);
                served.end(began);
            }
        }
    }

    private ThrowingRunnable<Exception> work(String name, long nanos) {
        return () -> {
            log.add(name);
            task.pass(nanos);
        };
    }

    @Test
    void whatIsShortIsDoneInOneMail() throws Exception {
        slices.add(List.of(work("a", 1), work("b", 1)));
        slices.add(List.of(work("c", 1)));
        assertThat(task.mails()).isEqualTo(1);
        task.runMail();
        assertThat(log).containsExactly("a", "b", "c", "end");
        assertThat(task.mails()).isZero();
    }

    @Test
    void whatIsLongLeavesTheMailboxInBetweenAndKeepsItsOrder() throws Exception {
        long most = SLICE * 2 / 3;
        slices.add(List.of(work("a", most), work("b", most), work("c", most)));
        task.runMail();
        assertThat(log).containsExactly("a", "b", "end");
        task.execute(() -> log.add("other mail"));
        slices.add(List.of(work("d", 1)));
        task.runMail();
        assertThat(log).containsExactly("a", "b", "end", "c", "d", "end");
        task.runMail();
        assertThat(task.mails()).isZero();
    }

    @Test
    void whatComesWhileAMailWorksIsDoneByItOrTheNext() throws Exception {
        slices.add(List.of(() -> slices.add(List.of(work("inner", 1))), work("a", SLICE)));
        task.runMail();
        assertThat(log).containsExactly("a", "end");
        task.runMail();
        assertThat(log).containsExactly("a", "end", "inner", "end");
        assertThat(task.mails()).isZero();
    }

    /** An exchange that is full and channels that are: each gets its share of the time. */
    @Test
    void recordsThatWaitHaveTheTaskToThemselvesBetweenTwoSlices() throws Exception {
        slices = slices(new LostService(0.25));
        task.recordsThatWait(1_000_000);
        int pieces = 3_000;
        for (int i = 0; i < pieces; i++) {
            slices.add(List.of(work("piece", SLICE / 30)));
        }
        while (task.mails() > 0 || task.timers() > 0) {
            task.turn();
        }

        assertThat(log).filteredOn("piece"::equals).hasSize(pieces);
        long lost = pieces * (SLICE / 30);
        assertThat(task.counted()).isEqualTo(lost);
        // The rest after the last slice need not have passed.
        assertThat(task.ownTime())
                .isGreaterThanOrEqualTo((lost - SLICE) * 3)
                .isLessThan(lost * 3 + lost / 10);
    }

    @Test
    void withoutARecordThatWaitsTheNextSliceBeginsAtOnce() throws Exception {
        slices = slices(new LostService(0.25));
        slices.add(List.of(work("a", SLICE), work("b", SLICE), work("c", SLICE)));
        for (int i = 0; i < 3; i++) {
            task.turn();
        }
        assertThat(log).containsExactly("a", "end", "b", "end", "c", "end");
        assertThat(task.now()).isEqualTo(3 * SLICE);
    }

    @Test
    void whenTheLastRecordIsDoneTheNextSliceNeedNotWaitForItsTime() throws Exception {
        slices = slices(new LostService(0.001));
        task.recordsThatWait(5);
        slices.add(List.of(work("a", SLICE), work("b", SLICE)));
        while (log.size() < 4) {
            task.turn();
        }
        assertThat(task.waitingRecords()).isZero();
        assertThat(task.now())
                .isLessThanOrEqualTo(
                        2 * SLICE + MailSlices.LOOK_NANOS + 5 * PlayedTask.RECORD_NANOS);
    }

    private ThrowingRunnable<Exception> letGo(int records, long nanos) {
        return () -> {
            released.records += records;
            released.nanos = nanos;
        };
    }

    /** Both have half of the time, and no mail is longer than a slice. */
    @Test
    void otherRecordsAreProcessedBetweenThePiecesOfWhatIsLetGo() throws Exception {
        int all = 200;
        task.recordsThatWait(1_000_000);
        slices.add(List.of(letGo(all, SLICE / 2)));
        do {
            long counted = task.counted();
            task.turn();
            assertThat(task.counted() - counted).isLessThanOrEqualTo(SLICE);
        } while (released.records > 0);
        // The rest after the last slice need not have passed.
        assertThat(task.ownTime())
                .isBetween((all / 2 - 1) * SLICE, all / 2 * (SLICE + 2 * PlayedTask.RECORD_NANOS));
    }

    /** Other records, and what comes behind that is let go, take two fifths of the time each. */
    @Test
    void whatIsLetGoDoesNotBecomeMoreAndMoreInATaskThatIsNotOverloaded() throws Exception {
        long service = SLICE / 2;
        int all = 200;
        slices.add(List.of(letGo(all, service)));
        task.turn();
        long others = 0;
        long more = 0;
        long before = 0;
        while (released.records > 0) {
            long passed = (task.now() - before) * 2 / 5;
            before = task.now();
            others += passed;
            more += passed;
            task.recordsThatWait((int) (others / PlayedTask.RECORD_NANOS));
            others %= PlayedTask.RECORD_NANOS;
            released.records += (int) (more / service);
            more %= service;
            task.turn();
        }
        long ideal = 5 * all * service;
        assertThat(task.now()).isBetween(ideal / 2, ideal * 6 / 5);
    }

    @Test
    void withoutOtherRecordsWhatIsLetGoGoesOnAtOnce() throws Exception {
        slices.add(List.of(letGo(10, SLICE / 2)));
        while (task.mails() > 0) {
            task.turn();
        }
        assertThat(task.now()).isEqualTo(10 * SLICE / 2);
    }

    private List<ThrowingRunnable<Exception>> workAndRecords(int ofEach, long nanos) {
        List<ThrowingRunnable<Exception>> work = new ArrayList<>();
        work.add(letGo(ofEach, nanos));
        for (int i = 0; i < ofEach; i++) {
            work.add(work("work", nanos));
        }
        return work;
    }

    /** State that goes on coming does not keep records from being let go, nor they it. */
    @Test
    void workAndRecordsThatAreLetGoHaveHalvesOfASlice() throws Exception {
        slices.add(workAndRecords(50, SLICE / 10));
        while (task.mails() > 0) {
            task.turn();
            assertThat(Collections.frequency(log, "record"))
                    .isEqualTo(Collections.frequency(log, "work"));
        }
        assertThat(log).filteredOn("work"::equals).hasSize(50);
    }

    @Test
    void workAndRecordsTakeTurnsIfEachIsLongerThanASlice() throws Exception {
        slices.add(workAndRecords(3, 2 * SLICE));
        while (task.mails() > 0) {
            task.turn();
        }
        assertThat(log)
                .filteredOn(line -> !line.equals("end"))
                .containsExactly("record", "work", "record", "work", "record", "work");
    }

    /** Other records have had to wait for it as long as for what is lost, but once only. */
    @Test
    void whatASliceDoesForRecordsIsFollowedByAsMuchTimeForOthers() throws Exception {
        slices = slices(new LostService(0.25));
        task.recordsThatWait(1_000_000);
        slices.add(
                List.of(
                        () -> {
                            log.add("a");
                            long began = served.begin();
                            task.pass(SLICE * 2 / 3);
                            served.end(began);
                            task.pass(SLICE / 3);
                        },
                        work("b", 1)));
        while (!log.contains("b")) {
            task.turn();
        }
        long rest = SLICE + SLICE * 2 / 3;
        assertThat(task.ownTime()).isBetween(rest, rest + 2 * MailSlices.LOOK_NANOS);
        // What is done between slices is no part of one.
        served.end(served.begin());
        assertThat(served.begin()).isZero();
    }

    /** It was kept from the cores, or met code for the first time. */
    @Test
    void aSliceThatTookLongIsFollowedByTheRestAfterAWholeOne() throws Exception {
        slices = slices(new LostService(0.25));
        task.recordsThatWait(1_000_000);
        slices.add(List.of(work("a", 100 * SLICE), work("b", 1)));
        while (!log.contains("b")) {
            task.turn();
        }
        assertThat(task.ownTime()).isBetween(3 * SLICE, 3 * SLICE + 2 * MailSlices.LOOK_NANOS);
    }

    @Test
    void whatComesDuringARestWaitsForItsEndToo() throws Exception {
        slices = slices(new LostService(0.5));
        task.recordsThatWait(1_000_000);
        slices.add(List.of(work("a", SLICE)));
        task.turn();
        long end = task.now() - task.ownTime();
        slices.add(List.of(work("b", 1)));
        while (!log.contains("b")) {
            task.turn();
        }
        assertThat(task.now()).isGreaterThanOrEqualTo(end + SLICE);
    }

    /** A mail that ends in the moment in which more comes must not leave that behind. */
    @Test
    void nothingIsLeftBehindBetweenTwoThreads() throws Exception {
        int total = 200_000;
        LinkedBlockingQueue<ThrowingRunnable<Exception>> mails = new LinkedBlockingQueue<>();
        List<Integer> done = new ArrayList<>();
        MailSlices both =
                new MailSlices(
                        new BusyHost(mails),
                        released,
                        () -> {},
                        System::nanoTime,
                        1_000,
                        WITHOUT_REST,
                        served);
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

    private record BusyHost(LinkedBlockingQueue<ThrowingRunnable<Exception>> mails)
            implements MailSlices.Host {

        @Override
        public void execute(ThrowingRunnable<Exception> mail) {
            mails.add(mail);
        }

        @Override
        public void executeLater(ThrowingRunnable<Exception> mail, long nanos) {
            throw new AssertionError("nothing is to wait");
        }

        @Override
        public boolean recordsWait() {
            return true;
        }

        @Override
        public void work(ThrowingRunnable<Exception> slice) throws Exception {
            slice.run();
        }
    }
}
