package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;
import dev.drrs.protocol.RescaleLifecycle;
import java.util.List;
import java.util.function.Consumer;

/**
 * The steps of a rescale, one at a time and in order. Those that do not belong to its {@link
 * Course} are left out; behind the last one it is over. What a step says when it is not its turn
 * counts for nothing. Main thread.
 */
final class StepSequence {

    private final RescaleLifecycle lifecycle;
    private final Consumer<Phase> entered;
    private final Consumer<Phase> ended;
    private List<Step> steps = List.of();

    /** Null before the begin and after the end. */
    private Step current;

    private Course course = Course.FORWARD;
    private String reason;

    /**
     * @param entered hears of phases on the way forward
     * @param ended hears, once, of the phase that is the end
     */
    StepSequence(RescaleLifecycle lifecycle, Consumer<Phase> entered, Consumer<Phase> ended) {
        this.lifecycle = lifecycle;
        this.entered = entered;
        this.ended = ended;
    }

    void begin(List<Step> all) {
        steps = List.copyOf(all);
        beginFrom(0, null);
    }

    Course course() {
        return course;
    }

    /** Why it does not go forward, or null. */
    String reason() {
        return reason;
    }

    boolean isAt(Step step) {
        return current == step;
    }

    boolean isOver() {
        return lifecycle.phase().isTerminal();
    }

    /** Whether it is under way and the step ends, by itself, what takes too long. */
    boolean hasOwnLimit() {
        return current != null && current.hasOwnLimit();
    }

    void done(Step step) {
        done(step, null);
    }

    /**
     * @param note what is to be said at the end if it was the last step, or null
     */
    void done(Step step, String note) {
        if (isAt(step)) {
            beginFrom(steps.indexOf(step) + 1, note);
        }
    }

    private void beginFrom(int index, String note) {
        for (Step next : steps.subList(index, steps.size())) {
            if (next.isPartOf(course)) {
                current = next;
                enter(next.phase());
                next.begin();
                return;
            }
        }
        if (course == Course.FORWARD) {
            end(Phase.COMPLETED, note);
        } else {
            end(Phase.ABORTED, note == null ? reason : reason + "; " + note);
        }
    }

    private void enter(Phase phase) {
        if (course == Course.FORWARD && lifecycle.phase() != phase) {
            lifecycle.enter(phase, null);
            entered.accept(phase);
        }
    }

    /** The step finds that the rescale cannot go forward; it may have to be done all the same. */
    void giveUp(Step step, String why) {
        if (isAt(step)) {
            giveUp(why);
        }
    }

    /** Back, unless it has taken another course before. */
    void giveUp(String why) {
        if (course == Course.FORWARD) {
            turn(Course.BACK, why);
        }
    }

    /**
     * A predecessor waits with the end of its data.
     *
     * @param all whether none goes on
     * @return whether the rescale is given up for that
     */
    boolean onEndWaits(boolean all, String why) {
        // What the way back has in it needs no inputs any more.
        boolean ends = all && current != null && !current.isPartOf(Course.BACK);
        if (ends) {
            turn(Course.INPUTS_ENDED, why);
        } else if (current != null) {
            current.onEndWaits();
        }
        return ends;
    }

    private void turn(Course to, String why) {
        if (reason == null) {
            reason = why;
            lifecycle.enter(Phase.ABORTING, why);
        }
        course = to;
        if (!current.turn(to)) {
            end(Phase.ABORTED, reason);
        }
    }

    /** A failover takes the rescale, whatever it is at. */
    void interrupt(String why) {
        if (!isOver()) {
            end(Phase.FAILED, why);
        }
    }

    private void end(Phase phase, String why) {
        current = null;
        lifecycle.enter(phase, why);
        ended.accept(phase);
    }
}
