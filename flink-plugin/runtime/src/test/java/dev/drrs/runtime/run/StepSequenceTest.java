package dev.drrs.runtime.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.protocol.Phase;
import dev.drrs.protocol.RescaleLifecycle;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class StepSequenceTest {

    private final List<String> log = new ArrayList<>();
    private final RescaleLifecycle lifecycle = new RescaleLifecycle(() -> 0);
    private final StepSequence steps =
            new StepSequence(
                    lifecycle,
                    phase -> log.add("phase " + phase),
                    phase -> log.add("end " + phase));
    private final Fake check = new Fake("check", Phase.PROVISIONING, true, only());
    private final Fake deploy = new Fake("deploy", Phase.PROVISIONING, false, only());
    private final Fake move = new Fake("move", Phase.MIGRATING, false, only());
    private final Fake close =
            new Fake("close", Phase.RETIRING, false, EnumSet.allOf(Course.class));
    private final Fake retire =
            new Fake(
                    "retire",
                    Phase.RETIRING,
                    false,
                    EnumSet.complementOf(EnumSet.of(Course.INPUTS_ENDED)));
    private final List<Fake> all = List.of(check, deploy, move, close, retire);

    private static EnumSet<Course> only() {
        return EnumSet.of(Course.FORWARD);
    }

    /** A step that writes down what happens to it. */
    private final class Fake implements Step {
        private final String name;
        private final Phase phase;
        private final boolean changesNothing;
        private final Set<Course> courses;

        /** What it does at once. */
        private Runnable atBegin = () -> {};

        private Runnable atTurn = () -> {};

        Fake(String name, Phase phase, boolean changesNothing, Set<Course> courses) {
            this.name = name;
            this.phase = phase;
            this.changesNothing = changesNothing;
            this.courses = courses;
        }

        @Override
        public Phase phase() {
            return phase;
        }

        @Override
        public boolean isPartOf(Course course) {
            return courses.contains(course);
        }

        @Override
        public void begin() {
            log.add(name);
            atBegin.run();
        }

        @Override
        public boolean turn(Course course) {
            log.add(name + " turns " + course);
            atTurn.run();
            return !changesNothing;
        }

        @Override
        public void onEndWaits() {
            log.add(name + " hears of an end");
        }
    }

    private void beginUpTo(Fake step) {
        steps.begin(List.copyOf(all));
        all.subList(0, all.indexOf(step)).forEach(steps::done);
        assertThat(steps.isAt(step)).isTrue();
        log.clear();
    }

    private void finish(Fake... some) {
        Stream.of(some).forEach(steps::done);
    }

    private List<Phase> phases() {
        return lifecycle.history().stream().map(RescaleLifecycle.Entered::phase).toList();
    }

    private String lastReason() {
        return lifecycle.history().get(lifecycle.history().size() - 1).reason();
    }

    @Test
    void allStepsComeInOrderAndEachPhaseIsEnteredOnceBeforeItsFirst() {
        steps.begin(List.copyOf(all));
        finish(check, deploy, move, close, retire);
        assertThat(log)
                .containsExactly(
                        "phase PROVISIONING",
                        "check",
                        "deploy",
                        "phase MIGRATING",
                        "move",
                        "phase RETIRING",
                        "close",
                        "retire",
                        "end COMPLETED");
        assertThat(steps.isOver()).isTrue();
        assertThat(steps.reason()).isNull();
    }

    @Test
    void stepsThatAreDoneWhileTheyBeginComeInOrderToo() {
        all.forEach(step -> step.atBegin = () -> steps.done(step));
        steps.begin(List.copyOf(all));
        assertThat(log).filteredOn(line -> !line.startsWith("phase")).endsWith("end COMPLETED");
        assertThat(log).filteredOn(line -> line.startsWith("end")).hasSize(1);
    }

    @Test
    void theNoteOfTheLastStepIsTheReasonOfTheEnd() {
        beginUpTo(retire);
        steps.done(retire, "one stays");
        assertThat(lastReason()).isEqualTo("one stays");
    }

    @Test
    void whatAStepSaysBeforeOrAfterItsTurnCountsForNothing() {
        beginUpTo(deploy);
        finish(check, move, retire);
        steps.giveUp(check, "too late");
        assertThat(steps.isAt(deploy)).isTrue();
        assertThat(steps.course()).isEqualTo(Course.FORWARD);
        assertThat(log).isEmpty();
    }

    @Test
    void givenUpBeforeAnythingIsChangedItIsOverAtOnce() {
        beginUpTo(check);
        steps.giveUp("enough");
        assertThat(log).containsExactly("check turns BACK", "end ABORTED");
        assertThat(phases())
                .containsExactly(Phase.PLANNED, Phase.PROVISIONING, Phase.ABORTING, Phase.ABORTED);
        assertThat(lastReason()).isEqualTo("enough");
        finish(check, deploy);
        assertThat(log).hasSize(2);
    }

    @Test
    void aStepThatFindsAFaultGivesUpAsAnAbortDoes() {
        beginUpTo(check);
        steps.giveUp(check, "unstable keys");
        assertThat(log).endsWith("end ABORTED");
        assertThat(lastReason()).isEqualTo("unstable keys");
    }

    @Test
    void givenUpWhileItDeploysItFinishesThatAndGoesBackWithoutMoving() {
        beginUpTo(deploy);
        steps.giveUp("enough");
        assertThat(steps.isAt(deploy)).isTrue();
        finish(deploy, close, retire);
        assertThat(log).containsExactly("deploy turns BACK", "close", "retire", "end ABORTED");
        assertThat(phases()).endsWith(Phase.PROVISIONING, Phase.ABORTING, Phase.ABORTED);
    }

    @Test
    void givenUpWhileKeyGroupsMoveItEndsAsSoonAsTheyAreBack() {
        beginUpTo(move);
        move.atTurn = () -> steps.done(move); // nothing had moved
        steps.giveUp("enough");
        assertThat(steps.isAt(close)).isTrue();
        finish(close);
        steps.done(retire, "one stays");
        assertThat(log).containsExactly("move turns BACK", "close", "retire", "end ABORTED");
        assertThat(lastReason()).isEqualTo("enough; one stays");
    }

    @Test
    void theFirstReasonCounts() {
        beginUpTo(deploy);
        steps.giveUp("first");
        steps.giveUp("second");
        steps.giveUp(deploy, "third");
        assertThat(log).containsExactly("deploy turns BACK");
        assertThat(steps.reason()).isEqualTo("first");
    }

    @Test
    void theEndOfAllInputsBeforeAnythingIsChangedIsTheEnd() {
        beginUpTo(check);
        assertThat(steps.onEndWaits(true, "no input")).isTrue();
        assertThat(log).containsExactly("check turns INPUTS_ENDED", "end ABORTED");
        assertThat(lastReason()).isEqualTo("no input");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEndOfAllInputsLeavesOutTheWayBackAndKeepsTheFirstReason(boolean givenUpBefore) {
        beginUpTo(move);
        if (givenUpBefore) {
            steps.giveUp("enough");
        }
        log.clear();
        assertThat(steps.onEndWaits(true, "no input")).isTrue();
        finish(move, close);
        assertThat(log).containsExactly("move turns INPUTS_ENDED", "close", "end ABORTED");
        assertThat(lastReason()).isEqualTo(givenUpBefore ? "enough" : "no input");
    }

    @Test
    void afterTheEndOfAllInputsNothingIsGivenUpAnyMore() {
        beginUpTo(move);
        steps.onEndWaits(true, "no input");
        log.clear();
        steps.giveUp("enough");
        assertThat(log).isEmpty();
        assertThat(steps.course()).isEqualTo(Course.INPUTS_ENDED);
    }

    @Test
    void whileOthersGoOnTheStepHearsOfAnEnd() {
        beginUpTo(move);
        assertThat(steps.onEndWaits(false, "no input")).isFalse();
        assertThat(log).containsExactly("move hears of an end");
    }

    @ParameterizedTest
    @ValueSource(strings = {"close", "retire"})
    void theEndOfAllInputsIsNothingNewOnceNoKeyGroupsMove(String name) {
        beginUpTo(all.stream().filter(step -> step.name.equals(name)).findFirst().orElseThrow());
        assertThat(steps.onEndWaits(true, "no input")).isFalse();
        assertThat(log).containsExactly(name + " hears of an end");
        assertThat(steps.course()).isEqualTo(Course.FORWARD);
    }

    @ParameterizedTest
    @EnumSource(Course.class)
    void aFailoverEndsItInAnyStepAndOnAnyCourseOnce(Course course) {
        for (Fake step : all) {
            StepSequenceTest one = new StepSequenceTest();
            Fake its = one.all.get(all.indexOf(step));
            one.beginUpTo(its);
            if (course == Course.BACK && lifecycleAllows(one)) {
                one.steps.giveUp("enough");
            } else if (course == Course.INPUTS_ENDED) {
                one.steps.onEndWaits(true, "no input");
            }
            boolean over = one.steps.isOver();
            one.steps.interrupt("lost");
            one.steps.interrupt("lost again");
            one.all.forEach(one.steps::done);
            one.steps.onEndWaits(true, "no input");
            assertThat(one.log).filteredOn(line -> line.startsWith("end")).hasSize(1);
            assertThat(one.log).last().isEqualTo(over ? "end ABORTED" : "end FAILED");
        }
    }

    /** Who retires cannot be given up; the caller asks. */
    private static boolean lifecycleAllows(StepSequenceTest one) {
        return one.lifecycle.phase().isAbortable();
    }

    @Test
    void anEndWithinTheLastStepsBeginIsTheOnlyOne() {
        retire.atBegin = () -> steps.done(retire);
        beginUpTo(close);
        finish(close, close, retire);
        assertThat(log).containsExactly("retire", "end COMPLETED");
    }
}
