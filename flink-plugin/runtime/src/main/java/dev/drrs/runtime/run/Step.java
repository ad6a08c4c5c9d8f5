package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;
import dev.drrs.runtime.message.Handlers;
import org.apache.flink.runtime.executiongraph.Execution;

/**
 * One step of a rescale, with all that it has to remember. It begins once, and tells the {@link
 * StepSequence} when it is done or why it cannot be; what reaches it before or after that must do
 * nothing. A failover ends the rescale in any step: none is told. Main thread.
 */
interface Step {

    /** What users see while the rescale goes forward. */
    Phase phase();

    void begin();

    default boolean isPartOf(Course course) {
        return course == Course.FORWARD;
    }

    /**
     * The rescale takes another course while the step is under way.
     *
     * @return whether the step has something to finish, and is done as ever; if not, nothing in the
     *     job has been changed so far, and the rescale is over
     */
    default boolean turn(Course course) {
        return true;
    }

    /** One of the predecessors waits with the end of its data, while others go on. */
    default void onEndWaits() {}

    /** Whether the step ends, by itself, what takes too long. */
    default boolean hasOwnLimit() {
        return false;
    }

    /** Registers what the step wants to hear of tasks. */
    default void hear(Handlers<Execution, RuntimeException> events) {}
}
