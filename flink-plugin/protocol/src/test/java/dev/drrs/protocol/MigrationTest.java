package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

class MigrationTest {

    private final List<String> log = new ArrayList<>();
    private final SectionTurns turns = new SectionTurns(() -> log.add("checkpoint"), () -> {});
    private int nextId = 100;

    /** How long the log was at the end of each turn. */
    private final List<Integer> inTurns = new ArrayList<>();

    /** Subscales that wait for their turn. */
    private final Set<Integer> waiting = new TreeSet<>();

    private final MigrationEffects effects =
            new MigrationEffects() {
                @Override
                public void register(Subscale s) {
                    log.add("register " + s.id());
                }

                @Override
                public void aligned(Subscale s, long consumerClock) {
                    log.add("aligned " + s.id() + " " + consumerClock);
                }

                @Override
                public void track(Subscale s, long promised) {
                    log.add("track " + s.id() + " " + promised);
                }

                @Override
                public void ready(Subscale s) {
                    waiting.add(s.id());
                }

                @Override
                public void untrack(Subscale s) {
                    waiting.remove(s.id());
                    log.add("untrack " + s.id());
                }

                @Override
                public void start(Subscale s) {
                    waiting.remove(s.id());
                    log.add("start " + s.id());
                }

                @Override
                public void reroute(Subscale s) {
                    log.add("reroute " + s.id());
                }

                @Override
                public void placementChanged(Subscale s) {
                    log.add("placed " + s.id());
                }

                @Override
                public void fetchRest(Subscale s) {
                    log.add("fetch rest of " + s.id());
                }

                @Override
                public void dropAtOldOwner(Subscale s) {
                    log.add("drop " + s.id());
                }

                @Override
                public void nextRound(long millis) {
                    log.add("round in " + millis);
                }

                @Override
                public void turnOver(boolean all) {
                    inTurns.add(log.size());
                }

                @Override
                public void finished(boolean aborted) {
                    log.add(aborted ? "aborted" : "completed");
                }
            };

    /** Of rules that are asked for by their concurrency. */
    private int warmUp;

    private IntUnaryOperator nodeOf = subtask -> subtask;
    private int onNode = 1024;

    private Migration migration(int concurrency, int[] placement, Subscale... subscales) {
        return migration(false, concurrency, placement, subscales);
    }

    private Migration migration(
            boolean untilPassed, int concurrency, int[] placement, Subscale... subscales) {
        Policies policies = SimPolicies.of(new EmptiestOwnerFirst(concurrency, warmUp, onNode));
        return migration(untilPassed, policies, placement, subscales);
    }

    private Migration migration(
            boolean untilPassed, Policies policies, int[] placement, Subscale... subscales) {
        Migration migration =
                new Migration(
                        placement,
                        List.of(subscales),
                        nodeOf,
                        policies,
                        2,
                        2,
                        untilPassed,
                        () -> nextId++,
                        turns,
                        effects);
        migration.begin();
        return migration;
    }

    private List<String> take() {
        List<String> out = List.copyOf(log);
        log.clear();
        return out;
    }

    private static Subscale move(int id, int from, int to, int... keyGroups) {
        return new Subscale(id, from, to, keyGroups);
    }

    private static void ready(Migration migration, int id) {
        migration.onReport(new GateReport.Promised(id, 5));
        migration.onReport(new GateReport.Ready(id));
    }

    /** Those with the ids from 1 on. */
    private static void readyUpTo(Migration migration, int last) {
        for (int id = 1; id <= last; id++) {
            ready(migration, id);
        }
    }

    @Test
    void whatIsCancelledWaitsForNoTurnAnyMoreThoughItIsReadyLater() {
        int[] placement = {0, 0, 0};
        Migration migration =
                migration(1, placement, move(1, 0, 1, 0), move(2, 0, 1, 1), move(3, 0, 1, 2));
        ready(migration, 1);
        ready(migration, 2);
        migration.onReport(new GateReport.Promised(3, 5));
        assertThat(waiting).as("1 has started").containsExactly(2);
        migration.abort();
        migration.onReport(new GateReport.Ready(3));
        assertThat(waiting).isEmpty();
    }

    private static void settled(Migration migration, int id) {
        migration.onReport(new GateReport.Settled(id, new GateReport.Counters(2, 3, 1, 0, 4)));
    }

    private static void passed(Migration migration, int id) {
        migration.onResultsPassed(id);
        migration.onResultsPassed(id);
    }

    private static void close(Migration migration, int id) {
        settled(migration, id);
        migration.onReport(new GateReport.Joined(id));
        passed(migration, id);
    }

    @Test
    void allAreRegisteredFirstAndEachGoesThroughItsSteps() {
        Migration migration = migration(2, new int[] {0, 0}, move(1, 0, 1, 0), move(2, 0, 1, 1));
        assertThat(take()).containsExactly("register 1", "register 2");
        migration.onReport(new GateReport.Promised(1, 9));
        assertThat(take()).containsExactly("track 1 9");
        migration.onReport(new GateReport.Ready(1));
        assertThat(take()).containsExactly("start 1", "reroute 1");
        assertThat(turns.running()).isEqualTo(1);
        assertThat(migration.progress())
                .isEqualTo(new Migration.Progress(0, 2, 1, 0, 2, 0, 0, 0, 0));
        settled(migration, 1);
        assertThat(take()).containsExactly("placed 1", "drop 1");
        assertThat(turns.running()).isZero();
        assertThat(migration.placement()).containsExactly(1, 0);
        migration.onReport(new GateReport.Joined(1));
        passed(migration, 1);
        assertThat(take()).isEmpty();
        ready(migration, 2);
        close(migration, 2);
        assertThat(take()).endsWith("completed");
        assertThat(migration.progress())
                .isEqualTo(new Migration.Progress(2, 2, 0, 2, 2, 4, 6, 0, 8));
    }

    @Test
    void withRoundsOneStartsInEachAndNoneBetweenTwo() {
        Policies policies = SimPolicies.of(new OneARound(50, 9));
        Subscale[] three = {move(1, 0, 1, 0), move(2, 0, 1, 1), move(3, 0, 1, 2)};
        Migration migration = migration(false, policies, new int[] {0, 0, 0}, three);
        take();
        ready(migration, 1);
        assertThat(take()).containsExactly("track 1 5", "round in 50", "start 1", "reroute 1");
        ready(migration, 2);
        assertThat(take()).containsExactly("track 2 5");
        migration.onRound();
        assertThat(take()).containsExactly("round in 50", "start 2", "reroute 2");
        migration.onRound();
        assertThat(take()).as("nothing is ready").containsExactly("round in 50");
        ready(migration, 3);
        assertThat(take()).containsExactly("track 3 5");
        migration.stop();
        migration.onRound();
        assertThat(take()).as("no round when nothing more starts").doesNotContain("round in 50");
    }

    @Test
    void whatFollowsFromSeveralReportsIsOneTurnThatIsOverBeforeTheEnd() {
        Migration migration =
                migration(1, new int[3], move(1, 0, 1, 0), move(2, 0, 1, 1), move(3, 0, 1, 2));
        for (int id = 1; id <= 3; id++) {
            passed(migration, id);
            ready(migration, id);
        }
        take();
        inTurns.clear();
        migration.onReports(
                List.of(
                        new GateReport.Settled(1, GateReport.Counters.NONE),
                        new GateReport.Joined(1)));
        assertThat(take()).containsExactly("placed 1", "drop 1", "start 2", "reroute 2");
        assertThat(inTurns).containsExactly(4);
        close(migration, 2);
        take();
        inTurns.clear();
        settled(migration, 3);
        migration.onReport(new GateReport.Joined(3));
        assertThat(take()).containsExactly("placed 3", "drop 3", "completed");
        assertThat(inTurns).contains(2);
    }

    @Test
    void aRuleMayRegisterASubscaleOnlyWhenTheOneBeforeItIsOver() {
        Policies serial = SimPolicies.of(new SerialStrategy.OneByOne());
        Migration migration =
                migration(
                        false,
                        serial,
                        new int[] {0, 0, 0, 0},
                        move(1, 0, 1, 0),
                        move(2, 0, 1, 1),
                        move(3, 0, 1, 2),
                        move(4, 0, 1, 3));
        assertThat(take()).containsExactly("register 1");
        ready(migration, 1);
        close(migration, 1);
        assertThat(take()).endsWith("drop 1", "register 2");
        ready(migration, 2);
        take();
        migration.abort();
        assertThat(take()).as("2 is open").isEmpty();
        close(migration, 2);
        assertThat(take()).containsExactly("placed 2", "drop 2", "register 100");
        for (int id : new int[] {100, 101}) {
            ready(migration, id);
            close(migration, id);
        }
        assertThat(take()).contains("register 101").endsWith("aborted");
        assertThat(migration.placement()).containsOnly(0);
        assertThat(migration.progress().done()).isEqualTo(4);
    }

    /** Else its new owner would promise more than the old owner has come to. */
    @Test
    void theNextOnesOfAPairAreRegisteredTogetherWhenHalfHaveSettledBeforeTheyJoin() {
        Subscale[] six = new Subscale[6];
        for (int i = 0; i < six.length; i++) {
            six[i] = move(i + 1, 0, 1, i);
        }
        Migration migration = migration(1, new int[6], six);
        assertThat(take()).containsExactly("register 1", "register 2", "register 3", "register 4");
        ready(migration, 1);
        take();
        settled(migration, 1);
        assertThat(take()).containsExactly("placed 1", "drop 1");
        migration.onReport(new GateReport.Joined(1));
        assertThat(take()).isEmpty();
        ready(migration, 2);
        settled(migration, 2);
        assertThat(take()).endsWith("register 5", "register 6");
    }

    @Test
    void whatTheInputEndsBeforeItWasRegisteredIsDropped() {
        Policies serial = SimPolicies.of(new SerialStrategy.OneByOne());
        Migration migration =
                migration(false, serial, new int[] {0, 0}, move(1, 0, 1, 0), move(2, 0, 1, 1));
        ready(migration, 1);
        migration.stop();
        take();
        close(migration, 1);
        assertThat(take()).contains("placed 1").doesNotContain("register 2");
        assertThat(migration.isStill()).isTrue();
    }

    @Test
    void noSubtaskIsInMoreStartedSubscalesThanTheLimit() {
        Migration migration =
                migration(
                        1,
                        new int[] {0, 0, 1, 1},
                        move(1, 0, 2, 0),
                        move(2, 0, 3, 1),
                        move(3, 1, 2, 2),
                        move(4, 1, 3, 3));
        readyUpTo(migration, 4);
        assertThat(take()).contains("start 1", "start 4").doesNotContain("start 2", "start 3");
        settled(migration, 1);
        assertThat(take()).contains("placed 1").doesNotContain("start 2", "start 3");
        settled(migration, 4);
        assertThat(take()).contains("start 2", "start 3");
    }

    /** Two at a time otherwise; the old owner is through with the first when subtask 2 is not. */
    @Test
    void aSubtaskIsInOneAtATimeUntilItIsThroughWithTheFirstOnes() {
        warmUp = 1;
        Migration migration =
                migration(
                        2,
                        new int[5],
                        move(1, 0, 1, 0),
                        move(2, 0, 1, 1),
                        move(3, 0, 1, 2),
                        move(4, 0, 2, 3),
                        move(5, 0, 2, 4));
        readyUpTo(migration, 5);
        assertThat(take()).contains("start 1").doesNotContain("start 2", "start 4");
        settled(migration, 1);
        assertThat(take()).contains("start 4", "start 2").doesNotContain("start 3", "start 5");
        settled(migration, 2);
        assertThat(take()).contains("start 3").doesNotContain("start 5");
        settled(migration, 4);
        assertThat(take()).contains("start 5");
    }

    /** Subtasks 0, 1 and 2 run on one node, 3 and 4 on another. */
    @Test
    void aNodeHasNoMoreThanItsShareOfSubscalesWhoeverItsSubtasksAre() {
        nodeOf = subtask -> subtask / 3;
        onNode = 1;
        Migration migration =
                migration(
                        9,
                        new int[] {0, 1, 3, 1},
                        move(1, 0, 2, 0),
                        move(2, 1, 2, 1),
                        move(3, 3, 4, 2),
                        move(4, 1, 4, 3));
        readyUpTo(migration, 4);
        assertThat(take()).contains("start 1", "start 3").doesNotContain("start 2", "start 4");
        settled(migration, 3);
        assertThat(take()).contains("placed 3").doesNotContain("start 2", "start 4");
        settled(migration, 1);
        assertThat(take()).contains("start 2").doesNotContain("start 4");
        settled(migration, 2);
        assertThat(take()).contains("start 4");
    }

    @Test
    void whatIsInstalledMakesRoomAtItsOwnersOnceAndEndsItsSectionWhenItHasSettled() {
        Migration migration =
                migration(1, new int[3], move(1, 0, 1, 0), move(2, 0, 1, 1), move(3, 0, 1, 2));
        readyUpTo(migration, 3);
        assertThat(take()).contains("start 1").doesNotContain("start 2");
        migration.onReport(new GateReport.Installed(1));
        migration.onReport(new GateReport.Installed(1));
        assertThat(take()).containsExactly("start 2", "reroute 2");
        assertThat(turns.running()).isEqualTo(2);
        settled(migration, 1);
        migration.onReport(new GateReport.Installed(1));
        assertThat(take()).containsExactly("placed 1", "drop 1");
        assertThat(turns.running()).isEqualTo(1);
        settled(migration, 2);
        assertThat(take()).contains("start 3");
    }

    @Test
    void theEmptiestNewOwnerComesFirst() {
        Migration migration =
                migration(
                        1,
                        new int[] {0, 0, 0, 1},
                        move(1, 0, 1, 0),
                        move(2, 0, 2, 1),
                        move(3, 0, 2, 2));
        migration.onReport(new GateReport.Promised(1, 5));
        migration.onReport(new GateReport.Promised(2, 5));
        turns.checkpointStarted();
        migration.onReport(new GateReport.Ready(2));
        migration.onReport(new GateReport.Ready(1));
        ready(migration, 3);
        turns.checkpointEnded();
        assertThat(take()).contains("start 2").doesNotContain("start 1", "start 3");
        settled(migration, 2);
        assertThat(take())
                .as("subtasks 1 and 2 own one each: the plan's order")
                .contains("start 1");
    }

    @Test
    void theHighestAnswerOfAllConsumersGoesToTheNewOwner() {
        Migration migration = migration(1, new int[] {0}, move(1, 0, 1, 0));
        take();
        migration.onConsumerAligned(1, 30);
        assertThat(take()).isEmpty();
        migration.onConsumerAligned(1, 20);
        assertThat(take()).containsExactly("aligned 1 30");
    }

    @Test
    void anAbortDropsWhatHasNotStartedAndMovesBackWhatHas() {
        Migration migration =
                migration(
                        1,
                        new int[] {0, 0, 0, 0},
                        move(1, 0, 1, 0),
                        move(2, 0, 1, 1),
                        move(3, 0, 1, 2),
                        move(4, 0, 1, 3));
        ready(migration, 1);
        close(migration, 1);
        ready(migration, 2);
        ready(migration, 3);
        take();
        migration.abort();
        migration.abort();
        assertThat(take()).containsExactly("register 100", "untrack 3");
        migration.onReport(new GateReport.Promised(4, 8));
        assertThat(take()).containsExactly("track 4 8", "untrack 4");
        migration.onReport(new GateReport.Cancelled(3));
        migration.onReport(new GateReport.Cancelled(4));
        migration.onReport(new GateReport.Ready(4));
        close(migration, 2);
        assertThat(take()).containsExactly("placed 2", "drop 2", "register 101");
        for (int id : new int[] {100, 101}) {
            ready(migration, id);
            close(migration, id);
        }
        assertThat(take()).endsWith("aborted");
        assertThat(migration.placement()).containsOnly(0);
        assertThat(migration.progress().movedKeyGroups()).isZero();
    }

    @Test
    void onceTheInputEndsAnAbortedSubscaleStaysWhereItHasGone() {
        Migration migration = migration(1, new int[] {0}, move(1, 0, 1, 0));
        ready(migration, 1);
        migration.abort();
        migration.stop();
        take();
        assertThat(migration.isStill()).isFalse();
        close(migration, 1);
        assertThat(take()).startsWith("placed 1", "drop 1").noneMatch(it -> it.startsWith("reg"));
        assertThat(migration.isStill()).isTrue();
    }

    @Test
    void onceTheInputEndsItIsStillOnlyWhenTheResultsOfOldOwnersAreTaken() {
        Migration migration = migration(true, 1, new int[] {0}, move(1, 0, 1, 0));
        ready(migration, 1);
        migration.stop();
        settled(migration, 1);
        migration.onResultsPassed(1);
        assertThat(turns.running()).isEqualTo(1);
        assertThat(migration.isStill()).isFalse();
        migration.onResultsPassed(1);
        assertThat(turns.running()).isZero();
        assertThat(migration.isStill()).isTrue();
    }

    @Test
    void aSubscaleDroppedWhileItWaitsForACheckpointDoesNotStart() {
        Migration migration = migration(1, new int[] {0}, move(1, 0, 1, 0));
        turns.checkpointStarted();
        ready(migration, 1);
        migration.abort();
        take();
        turns.checkpointEnded();
        assertThat(take()).isEmpty();
        assertThat(turns.running()).isZero();
        migration.onReport(new GateReport.Cancelled(1));
        assertThat(take()).containsExactly("aborted");
    }

    @Test
    void messagesThatComeTwiceOrTooLateChangeNothing() {
        Migration migration = migration(1, new int[] {0}, move(1, 0, 1, 0));
        ready(migration, 1);
        ready(migration, 1);
        assertThat(take()).containsOnlyOnce("start 1");
        close(migration, 1);
        close(migration, 1);
        migration.onReport(new GateReport.Ready(99));
        assertThat(take()).containsOnlyOnce("placed 1", "completed");
    }

    @Test
    void itEndsWhenAllConsumersHaveTakenTheResultsOfTheOldOwners() {
        Migration migration = migration(1, new int[] {0}, move(1, 0, 1, 0));
        ready(migration, 1);
        settled(migration, 1);
        assertThat(turns.running()).as("barriers stay behind the results").isZero();
        migration.onReport(new GateReport.Joined(1));
        migration.onResultsPassed(1);
        assertThat(take()).doesNotContain("completed");
        migration.onResultsPassed(1);
        assertThat(take()).endsWith("completed");
    }

    @Test
    void aSectionLastsUntilAllConsumersHaveTakenTheResultsIfCheckpointsOvertakeThem() {
        Migration migration = migration(true, 1, new int[] {0}, move(1, 0, 1, 0));
        ready(migration, 1);
        migration.onResultsPassed(1);
        close(migration, 1);
        assertThat(turns.running()).isZero();
        Migration second = migration(true, 1, new int[] {0}, move(2, 0, 1, 0));
        ready(second, 2);
        settled(second, 2);
        second.onReport(new GateReport.Joined(2));
        second.onResultsPassed(2);
        assertThat(turns.running()).isEqualTo(1);
        second.onResultsPassed(2);
        assertThat(turns.running()).isZero();
    }

    @Test
    void itIsSettledWithTheKeyGroupsUnlessCheckpointsOvertakeResults() {
        for (boolean untilPassed : new boolean[] {false, true}) {
            Migration migration = migration(untilPassed, 1, new int[] {0}, move(1, 0, 1, 0));
            ready(migration, 1);
            assertThat(migration.isSettled()).isFalse();
            settled(migration, 1);
            migration.onResultsPassed(1);
            assertThat(migration.isSettled()).isEqualTo(!untilPassed);
            migration.onResultsPassed(1);
            assertThat(migration.isSettled()).isTrue();
        }
    }

    @Test
    void nothingStartsWhileItIsPausedAndWhatHasStartedFinishes() {
        Migration migration =
                migration(
                        2,
                        new int[] {0, 0, 0},
                        move(1, 0, 1, 0),
                        move(2, 0, 2, 1),
                        move(3, 0, 2, 2));
        ready(migration, 1);
        turns.checkpointWanted();
        ready(migration, 2);
        migration.pause();
        ready(migration, 3);
        assertThat(migration.isQuiet()).isFalse();
        close(migration, 1);
        assertThat(migration.isQuiet()).isTrue();
        turns.checkpointStarted();
        take();
        turns.checkpointEnded();
        assertThat(take()).as("2 had its turn in the pause").isEmpty();
        assertThat(turns.running()).isZero();
        take();
        migration.resume();
        assertThat(take()).contains("start 2", "start 3");
        close(migration, 2);
        close(migration, 3);
        assertThat(take()).endsWith("completed");
    }

    @Test
    void whatNobodyNeedsIsFetchedOnceOfWhatHasStartedAndAfterAnAbortOfWhatMovesBack() {
        Policies lazy = new LazyStrategy().policies(Map.of(LazyStrategy.BACKGROUND, "false"));
        Migration migration = migration(false, lazy, new int[] {0, 1}, move(1, 0, 1, 0));
        migration.fetchRest();
        ready(migration, 1);
        assertThat(take()).endsWith("start 1", "reroute 1");
        migration.fetchRest();
        migration.pause();
        migration.resume();
        assertThat(take()).containsExactly("fetch rest of 1");
        migration.abort();
        settled(migration, 1);
        migration.onReport(new GateReport.Joined(1));
        take();
        ready(migration, 100);
        assertThat(take()).endsWith("start 100", "reroute 100", "fetch rest of 100");
    }

    @Test
    void nothingToMoveIsCompletedAtOnce() {
        migration(1, new int[] {0});
        assertThat(take()).containsExactly("completed");
    }

    @Test
    void aLimitBelowOneIsRefused() {
        assertThatThrownBy(() -> migration(0, new int[] {0}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> move(1, 2, 2, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThat(Arrays.asList(move(1, 0, 1, 3))).containsExactly(move(1, 0, 1, 3));
    }
}
