package dev.drrs.runtime.section;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.section.CheckpointTurns.Chosen;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.util.concurrent.ScheduledExecutor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The queue of the coordinator asks as Flink's does; time and main thread are the test's. */
class CheckpointTurnsTest {

    private static final boolean PERIODIC = true;
    private static final boolean ASKED_FOR = false;
    private static final Duration PATIENCE = Duration.ofHours(1);
    private static final Duration HOLD = Duration.ofSeconds(10);

    private final MainThread main = new MainThread();
    private final List<String> log = new ArrayList<>();
    private final AtomicInteger heard = new AtomicInteger();
    private final Runnable awaited = heard::incrementAndGet;
    private final CheckpointTurns turns =
            new CheckpointTurns(
                    () -> main.now,
                    coordinator -> log.add("look"),
                    coordinator -> log.add("checkpoint"));

    @BeforeEach
    void started() {
        turns.start(main, PATIENCE, HOLD);
    }

    @Test
    void whoeverMovesKeyGroupsHearsThatACheckpointWaitsForSections() {
        turns.movingBegins(awaited);
        section("a");
        assertThat(turns.mayStart(ASKED_FOR)).isFalse();
        main.runDue();
        assertThat(heard).hasValue(1);
        turns.movingEnds(awaited);
        turns.movingBegins(() -> log.add("another"));
        section("b");
        assertThat(logged()).contains("another");
        assertThat(heard).hasValue(1);
    }

    @Test
    void aSavepointIsUnderWayFromItsChoiceUntilNothingIsPendingOrAFailover() {
        choose(Chosen.PERIODIC);
        assertThat(turns.isSavepointUnderWay()).isFalse();
        turns.idle();
        choose(Chosen.SAVEPOINT);
        assertThat(turns.isSavepointUnderWay()).isTrue();
        turns.idle();
        assertThat(turns.isSavepointUnderWay()).isFalse();
        choose(Chosen.SAVEPOINT);
        turns.failedOver(() -> {});
        assertThat(turns.isSavepointUnderWay()).isFalse();
    }

    private void choose(Chosen request) {
        assertThat(turns.mayStart(request == Chosen.PERIODIC)).isTrue();
        turns.chosen(request);
    }

    private void section(String name) {
        turns.requestSection(() -> log.add(name));
        main.runDue();
    }

    private List<String> logged() {
        main.runDue();
        List<String> all = List.copyOf(log);
        log.clear();
        return all;
    }

    @Test
    void aPeriodicCheckpointIsHeldWhileKeyGroupsMoveAndSectionsGoOn() {
        turns.movingBegins(awaited);
        section("a");
        assertThat(turns.mayStart(PERIODIC)).isFalse();
        assertThat(turns.isHolding()).as("further ones are dropped").isTrue();
        section("b");
        turns.sectionDone();
        section("c");
        assertThat(logged()).containsExactly("a", "b", "c");
    }

    @Test
    void whenTheBoundIsOverItTakesItsTurn() {
        turns.movingBegins(awaited);
        section("a");
        turns.mayStart(PERIODIC);
        main.pass(HOLD.minusMillis(1));
        assertThat(logged()).containsExactly("a");
        main.pass(Duration.ofMillis(2));
        assertThat(logged()).containsExactly("look");
        assertThat(turns.mayStart(PERIODIC)).isFalse();
        section("b");
        turns.sectionDone();
        assertThat(logged()).as("b waits").containsExactly("look");
        assertThat(turns.mayStart(PERIODIC)).isTrue();
        turns.chosen(Chosen.PERIODIC);
        turns.idle();
        assertThat(logged()).containsExactly("b");
        assertThat(turns.held()).isBetween(HOLD, HOLD.plusMillis(1));
    }

    @Test
    void whenNoKeyGroupMovesAnyMoreItGoesAfterAsLongAgain() {
        turns.movingBegins(awaited);
        assertThat(turns.mayStart(PERIODIC)).isFalse();
        main.pass(Duration.ofMillis(300));
        turns.movingEnds(awaited);
        assertThat(logged()).containsExactly("look");
        assertThat(turns.mayStart(PERIODIC)).isFalse();
        main.pass(Duration.ofMillis(299));
        assertThat(logged()).isEmpty();
        main.pass(Duration.ofMillis(2));
        assertThat(logged()).containsExactly("look");
        assertThat(turns.mayStart(PERIODIC)).isTrue();
        assertThat(turns.held()).isEqualTo(Duration.ofMillis(601));
    }

    @Test
    void aFailoverLeavesNothingToWaitFor() {
        turns.movingBegins(awaited);
        main.pass(Duration.ofMillis(300));
        failOver(() -> turns.movingEnds(awaited));
        assertThat(turns.mayStart(PERIODIC)).isTrue();
    }

    private void failOver(Runnable endRescale) {
        turns.failedOver(endRescale);
        turns.calm();
    }

    @Test
    void aFailoverBehindACompletedRescaleEndsTheWaitForWhatPiledUp() {
        move(Duration.ofMillis(300));
        assertThat(turns.mayStart(PERIODIC)).isFalse();
        main.pass(Duration.ofMillis(1));
        turns.calm();
        assertThat(logged()).containsExactly("look");
        assertThat(turns.mayStart(PERIODIC)).isTrue();
        turns.chosen(Chosen.PERIODIC);
        move(Duration.ofMillis(300));
        assertThat(turns.mayStart(PERIODIC)).as("of the next rescale").isFalse();
    }

    @Test
    void theCheckpointBehindACompletedRescaleGoesOnceWhenItIsCalm() {
        move(Duration.ofMillis(300));
        turns.triggerCheckpointWhenCalm();
        main.pass(Duration.ofMillis(299));
        assertThat(logged()).isEmpty();
        main.pass(Duration.ofMillis(2));
        assertThat(logged()).containsExactly("checkpoint");
        main.pass(HOLD);
        assertThat(logged()).isEmpty();
    }

    private void move(Duration time) {
        turns.movingBegins(awaited);
        main.pass(time);
        turns.movingEnds(awaited);
    }

    /** Subscales would wait for it, with barriers behind all that has piled up. */
    @Test
    void itWaitsForKeyGroupsThatTheNextRescaleMoves() {
        move(Duration.ofMillis(300));
        turns.triggerCheckpointWhenCalm();
        turns.movingBegins(awaited);
        main.pass(Duration.ofMillis(301));
        assertThat(logged()).isEmpty();
        main.pass(Duration.ofMillis(699));
        turns.movingEnds(awaited);
        turns.triggerCheckpointWhenCalm();
        main.pass(Duration.ofMillis(999));
        assertThat(logged()).isEmpty();
        main.pass(Duration.ofMillis(2));
        assertThat(logged()).as("one for both").containsExactly("checkpoint");
    }

    @Test
    void itWaitsNoLongerThanAPeriodicOneIsHeld() {
        turns.movingBegins(() -> log.add("of another operator"));
        move(Duration.ofMillis(300));
        turns.triggerCheckpointWhenCalm();
        main.pass(HOLD.minusMillis(1));
        assertThat(logged()).isEmpty();
        main.pass(Duration.ofMillis(2));
        assertThat(logged()).containsExactly("checkpoint");
    }

    @Test
    void aPeriodicOneThatIsHeldThenGoesInItsPlace() {
        turns.movingBegins(awaited);
        turns.triggerCheckpointWhenCalm();
        main.pass(Duration.ofSeconds(4));
        assertThat(turns.mayStart(PERIODIC)).isFalse();
        main.pass(HOLD.minusSeconds(4).plusMillis(1));
        assertThat(logged()).containsOnly("look");
        assertThat(turns.mayStart(PERIODIC)).isTrue();
        turns.chosen(Chosen.PERIODIC);
        turns.movingEnds(awaited);
        main.pass(HOLD);
        assertThat(logged()).isEmpty();
    }

    @Test
    void aHeldOneThatIsGoneDoesNotGoInItsPlace() {
        turns.movingBegins(awaited);
        turns.triggerCheckpointWhenCalm();
        turns.mayStart(PERIODIC);
        main.pass(HOLD.plusMillis(1));
        assertThat(logged()).containsOnly("look");
        turns.nothingQueued();
        assertThat(logged()).containsExactly("checkpoint");
    }

    @ParameterizedTest
    @EnumSource(Chosen.class)
    void oneThatBeginsMeanwhileServesIfFailoversGoBackToIt(Chosen other) {
        turns.movingBegins(awaited);
        turns.triggerCheckpointWhenCalm();
        assertThat(turns.mayStart(ASKED_FOR)).isTrue();
        turns.chosen(other);
        main.pass(HOLD.plusMillis(1));
        if (other == Chosen.SAVEPOINT || other == Chosen.NOTHING) {
            assertThat(logged()).containsExactly("checkpoint");
        } else {
            assertThat(logged()).isEmpty();
        }
    }

    @Test
    void oneThatWaitsForItsTurnMayServeUntilItIsKnownThatItDoesNot() {
        section("a");
        turns.mayStart(ASKED_FOR);
        turns.triggerCheckpointWhenCalm();
        turns.sectionDone();
        assertThat(logged()).containsExactly("a", "look");
        turns.mayStart(ASKED_FOR);
        turns.chosen(Chosen.SAVEPOINT);
        assertThat(logged()).containsExactly("checkpoint");
    }

    @Test
    void theOneThatIsOwedOutlivesAFailover() {
        section("a");
        turns.mayStart(ASKED_FOR);
        turns.triggerCheckpointWhenCalm();
        failOver(turns::sectionDone);
        assertThat(logged()).contains("checkpoint");
    }

    @Test
    void whatSomebodyAskedForIsNotHeldAndThePeriodicOneBehindItStaysHeld() {
        turns.movingBegins(awaited);
        assertThat(turns.mayStart(PERIODIC)).isFalse();
        main.pass(Duration.ofSeconds(4));
        assertThat(turns.mayStart(ASKED_FOR)).isTrue();
        turns.chosen(Chosen.CHECKPOINT);
        turns.idle();
        assertThat(turns.mayStart(PERIODIC)).isFalse();
        main.pass(Duration.ofSeconds(6).plusMillis(1));
        assertThat(logged()).as("no second bound").containsExactly("look");
        assertThat(turns.mayStart(PERIODIC)).isTrue();
    }

    /** Sections wait for it already: held now it would stop the rescale. */
    @Test
    void whatWaitsForItsTurnWhenKeyGroupsBeginToMoveIsNotHeld() {
        section("a");
        assertThat(turns.mayStart(PERIODIC)).isFalse();
        turns.movingBegins(awaited);
        assertThat(turns.mayStart(PERIODIC)).isFalse();
        section("b");
        turns.sectionDone();
        assertThat(logged()).containsExactly("a", "look");
        assertThat(turns.mayStart(PERIODIC)).isTrue();
        turns.chosen(Chosen.PERIODIC);
        turns.idle();
        assertThat(logged()).containsExactly("b");
    }

    @Test
    void aHeldRequestThatIsGoneIsForgotten() {
        turns.movingBegins(awaited);
        turns.mayStart(PERIODIC);
        failOver(() -> {});
        assertThat(turns.isHolding()).isFalse();
        assertThat(logged()).as("there may be one all the same").containsExactly("look");
        turns.mayStart(PERIODIC);
        turns.nothingQueued();
        assertThat(turns.isHolding()).isFalse();
        turns.movingEnds(awaited);
        main.pass(HOLD);
        assertThat(logged()).isEmpty();
    }

    @Test
    void withoutAHoldCheckpointsTakeTheirTurnsWhileKeyGroupsMove() {
        turns.start(main, PATIENCE, Duration.ZERO);
        turns.movingBegins(awaited);
        assertThat(turns.mayStart(PERIODIC)).isTrue();
        turns.chosen(Chosen.PERIODIC);
        section("a");
        assertThat(logged()).isEmpty();
        turns.idle();
        assertThat(logged()).containsExactly("a");
    }

    /** Runs what is due when it is told to. */
    private static final class MainThread implements ScheduledExecutor {
        private record Later(long at, Runnable action) {}

        private final Deque<Runnable> due = new ArrayDeque<>();
        private final List<Later> later = new ArrayList<>();
        long now;

        void pass(Duration time) {
            now += time.toNanos();
            for (Later each : List.copyOf(later)) {
                if (each.at <= now) {
                    later.remove(each);
                    due.add(each.action);
                }
            }
        }

        void runDue() {
            while (!due.isEmpty()) {
                due.remove().run();
            }
        }

        @Override
        public void execute(Runnable action) {
            due.add(action);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable action, long delay, TimeUnit unit) {
            later.add(new Later(now + unit.toNanos(delay), action));
            return null; // nobody cancels it
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> action, long delay, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(
                Runnable action, long initialDelay, long period, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(
                Runnable action, long initialDelay, long delay, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }
    }
}
