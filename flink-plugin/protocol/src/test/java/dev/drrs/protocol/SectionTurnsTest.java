package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SectionTurnsTest {

    private final List<String> log = new ArrayList<>();
    private int awaited;
    private final SectionTurns turns =
            new SectionTurns(() -> log.add("checkpoint"), () -> awaited++);

    private void section(String name) {
        turns.requestSection(() -> log.add(name));
    }

    @Test
    void sectionsAndCheckpointsTakeTurns() {
        section("a");
        turns.checkpointWanted();
        assertThat(turns.mayStartCheckpoint()).isFalse();
        assertThat(awaited).as("a is waited for").isEqualTo(1);
        section("b");
        assertThat(log).containsExactly("a");
        turns.sectionDone();
        assertThat(log).containsExactly("a", "checkpoint");
        turns.checkpointStarted();
        awaited = 0;
        section("c");
        turns.checkpointWanted();
        assertThat(log).containsExactly("a", "checkpoint");
        assertThat(awaited).isZero();
        turns.checkpointEnded();
        assertThat(log).containsExactly("a", "checkpoint", "b", "c");
        assertThat(awaited).as("so are those in front of it").isEqualTo(1);
        turns.sectionDone();
        turns.sectionDone();
        assertThat(log).containsExactly("a", "checkpoint", "b", "c", "checkpoint");
    }

    @Test
    void sectionsGoOnWhenAllCheckpointsAreGone() {
        section("a");
        turns.checkpointWanted();
        section("b");
        turns.checkpointsGone();
        assertThat(log).containsExactly("a", "b");
        turns.sectionDone();
        turns.sectionDone();
        assertThat(log).containsExactly("a", "b");
        assertThat(turns.reserveCheckpoint()).isTrue();
        turns.checkpointStarted();
        turns.checkpointsGone();
        section("c");
        assertThat(log).containsExactly("a", "b", "c");
        assertThat(turns.running()).isEqualTo(1);
    }

    @Test
    void noSectionBeginsBetweenTheGrantOfACheckpointAndItsStart() {
        turns.checkpointWanted();
        section("a");
        assertThat(log).containsExactly("checkpoint");
        turns.checkpointNotStarted();
        assertThat(log).containsExactly("checkpoint", "a");
    }

    @Test
    void aSectionWaitsForAllPendingCheckpointsAndNoneIsAddedMeanwhile() {
        assertThat(turns.mayStartCheckpoint()).isTrue();
        turns.checkpointStarted();
        turns.checkpointStarted();
        section("a");
        assertThat(turns.mayStartCheckpoint()).isFalse();
        turns.checkpointWanted();
        turns.checkpointEnded();
        assertThat(log).isEmpty();
        turns.checkpointEnded();
        assertThat(log).containsExactly("a");
    }

    @Test
    void aCheckpointMayBeAddedToAPendingOneWhileNoSectionWaits() {
        turns.checkpointStarted();
        turns.checkpointWanted();
        assertThat(log).containsExactly("checkpoint");
    }

    @Test
    void whatWasNotBegunCannotEnd() {
        assertThatThrownBy(turns::sectionDone).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(turns::checkpointEnded).isInstanceOf(IllegalStateException.class);
        section("a");
        assertThatThrownBy(turns::checkpointStarted).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void neitherStarves() {
        for (long seed = 0; seed < 200; seed++) {
            new Play(seed).run();
        }
    }

    /** Random requests; counts how often one kind goes before a waiting one of the other kind. */
    private static final class Play {
        final Random random;
        final SectionTurns turns = new SectionTurns(this::granted, () -> {});
        final List<int[]> waiting = new ArrayList<>();
        int running;
        int pending;
        boolean starting;
        boolean wanted;
        int batches;
        int begunSinceWanted;

        Play(long seed) {
            random = new Random(seed);
        }

        void granted() {
            assertThat(running).isZero();
            for (int[] checkpointsBefore : waiting) {
                assertThat(++checkpointsBefore[0]).as("checkpoints before a section").isEqualTo(1);
            }
            wanted = false;
            starting = true;
        }

        void begin(int[] me) {
            assertThat(pending == 0 && !starting).as("a section begins in a checkpoint").isTrue();
            waiting.remove(me);
            running++;
            begunSinceWanted++;
        }

        void run() {
            for (int step = 0; step < 300; step++) {
                int before = begunSinceWanted;
                switch (random.nextInt(6)) {
                    case 0 -> {
                        int[] me = {0};
                        waiting.add(me);
                        turns.requestSection(() -> begin(me));
                    }
                    case 1 -> {
                        if (running > 0) {
                            running--;
                            turns.sectionDone();
                        }
                    }
                    case 2 -> {
                        batches = wanted ? batches : 0;
                        wanted = true;
                        turns.checkpointWanted();
                    }
                    case 3 -> {
                        if (starting) {
                            starting = false;
                            pending++;
                            turns.checkpointStarted();
                        }
                    }
                    case 4 -> {
                        if (starting) {
                            starting = false;
                            turns.checkpointNotStarted();
                        }
                    }
                    default -> {
                        if (pending > 0) {
                            pending--;
                            turns.checkpointEnded();
                        }
                    }
                }
                if (wanted && begunSinceWanted > before) {
                    assertThat(++batches)
                            .as("batches of sections before a checkpoint")
                            .isLessThanOrEqualTo(1);
                }
            }
        }
    }
}
