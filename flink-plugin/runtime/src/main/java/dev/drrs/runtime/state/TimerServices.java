package dev.drrs.runtime.state;

import dev.drrs.flink.TimerAccess;
import java.util.Optional;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;

/**
 * Whether the timer services of an operator are those in which {@link SubscaleTimers} can keep
 * subscales apart, whichever backend keeps the timers. For the mailbox thread.
 */
public final class TimerServices {

    private TimerServices() {}

    /** Why they are not, as one sentence, or empty. */
    public static Optional<String> unsupported(KeyedOperator keyed) {
        if (TimerAccess.hasInterruptibleTimers(keyed.operator())) {
            return Optional.of(
                    "The operator "
                            + keyed.name()
                            + " uses interruptible timers; set"
                            + " execution.checkpointing.unaligned.interruptible-timers.enabled to false.");
        }
        InternalTimeServiceManager<?> timers = TimerAccess.timeServiceManager(keyed.operator());
        if (!(timers instanceof InternalTimeServiceManagerImpl<?> known)) {
            return Optional.of(
                    "The operator "
                            + keyed.name()
                            + " keeps its timers in a "
                            + (timers == null
                                    ? "place that is not known"
                                    : timers.getClass().getSimpleName())
                            + "; only streaming execution is supported.");
        }
        for (InternalTimerServiceImpl<?, ?> service : TimerAccess.timerServices(known).values()) {
            if (service.getClass() != InternalTimerServiceImpl.class) {
                return Optional.of(
                        "The operator "
                                + keyed.name()
                                + " has timers in a "
                                + service.getClass().getSimpleName()
                                + ", which is not supported.");
            }
        }
        return Optional.empty();
    }

    /** Of an operator that {@link #unsupported} has nothing against. */
    public static InternalTimeServiceManagerImpl<?> manager(KeyedOperator keyed) {
        return (InternalTimeServiceManagerImpl<?>) TimerAccess.timeServiceManager(keyed.operator());
    }
}
