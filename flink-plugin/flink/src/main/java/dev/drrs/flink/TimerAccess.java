package dev.drrs.flink;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;

/**
 * What is inside of the timer services of an operator, whichever backend keeps the timers. The
 * methods are for the mailbox thread of the operator concerned.
 */
public final class TimerAccess {

    private static final VarHandle TIMER_SERVICES = Handles.field(StateMembers.TIMER_SERVICES);
    private static final VarHandle EVENT_TIMERS = Handles.field(StateMembers.EVENT_TIMERS);
    private static final MethodHandle SET_EVENT_TIMERS = Handles.setter(StateMembers.EVENT_TIMERS);
    private static final VarHandle CLOCK = Handles.field(StateMembers.CLOCK);
    private static final VarHandle STARTED = Handles.field(StateMembers.STARTED);
    private static final VarHandle NEXT_TIMER = Handles.field(StateMembers.NEXT_TIMER);
    private static final VarHandle TIME_SERVICE = Handles.field(StateMembers.TIME_SERVICE);
    private static final VarHandle PROCESSING_TIMERS =
            Handles.field(StateMembers.PROCESSING_TIMERS);
    private static final MethodHandle ON_PROCESSING_TIME =
            Handles.method(StateMembers.ON_PROCESSING_TIME);

    private static final VarHandle MANAGER = Handles.field(OperatorMembers.TIMERS);
    private static final VarHandle MANAGER_V2 = Handles.field(OperatorMembers.TIMERS_V2);
    private static final VarHandle INTERRUPTIBLE = Handles.field(OperatorMembers.INTERRUPTIBLE);
    private static final VarHandle INTERRUPTIBLE_V2 =
            Handles.field(OperatorMembers.INTERRUPTIBLE_V2);

    private TimerAccess() {}

    @SuppressWarnings("unchecked")
    public static Map<String, InternalTimerServiceImpl<?, ?>> timerServices(
            InternalTimeServiceManagerImpl<?> manager) {
        return (Map<String, InternalTimerServiceImpl<?, ?>>) TIMER_SERVICES.get(manager);
    }

    @SuppressWarnings("unchecked")
    public static <K, N>
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> eventTimeTimers(
                    InternalTimerServiceImpl<K, N> service) {
        return (KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>>)
                EVENT_TIMERS.get(service);
    }

    public static <K, N> void eventTimeTimers(
            InternalTimerServiceImpl<K, N> service,
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> queue) {
        try {
            SET_EVENT_TIMERS.invoke(service, queue);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    public static long clock(InternalTimerServiceImpl<?, ?> service) {
        return (long) CLOCK.get(service);
    }

    public static void clock(InternalTimerServiceImpl<?, ?> service, long clock) {
        CLOCK.set(service, clock);
    }

    /**
     * Whether the operator has asked for the service; one that only was restored has nobody to
     * call.
     */
    public static boolean isStarted(InternalTimerServiceImpl<?, ?> service) {
        return (boolean) STARTED.get(service);
    }

    /**
     * Registers the call for the first processing-time timer anew. A service that is not started
     * does so later.
     */
    public static void armProcessingTime(InternalTimerServiceImpl<?, ?> service) {
        TimerHeapInternalTimer<?, ?> head =
                (TimerHeapInternalTimer<?, ?>)
                        ((KeyGroupedInternalPriorityQueue<?>) PROCESSING_TIMERS.get(service))
                                .peek();
        if (head == null || !isStarted(service)) {
            return;
        }
        ScheduledFuture<?> armed = (ScheduledFuture<?>) NEXT_TIMER.get(service);
        if (armed != null) {
            armed.cancel(false);
        }
        ProcessingTimeService time = (ProcessingTimeService) TIME_SERVICE.get(service);
        NEXT_TIMER.set(
                service,
                time.registerTimer(
                        head.getTimestamp(), timestamp -> onProcessingTime(service, timestamp)));
    }

    private static void onProcessingTime(InternalTimerServiceImpl<?, ?> service, long timestamp)
            throws Exception {
        try {
            ON_PROCESSING_TIME.invoke(service, timestamp);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /**
     * The time service manager of an operator, or null. The operator must extend one of Flink's two
     * base classes.
     */
    public static InternalTimeServiceManager<?> timeServiceManager(Object operator) {
        return (InternalTimeServiceManager<?>)
                (operator instanceof AbstractStreamOperator
                        ? MANAGER.get(operator)
                        : MANAGER_V2.get(operator));
    }

    public static boolean hasInterruptibleTimers(Object operator) {
        Object processor =
                operator instanceof AbstractStreamOperator
                        ? INTERRUPTIBLE.get(operator)
                        : INTERRUPTIBLE_V2.get(operator);
        return processor != null;
    }

    private static RuntimeException unchecked(Throwable t) {
        if (t instanceof Error e) {
            throw e;
        }
        return t instanceof RuntimeException e ? e : new IllegalStateException(t);
    }
}
