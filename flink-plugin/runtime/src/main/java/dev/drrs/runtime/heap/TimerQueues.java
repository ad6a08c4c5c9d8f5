package dev.drrs.runtime.heap;

import dev.drrs.flink.TimerAccess;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;

/**
 * Which timer service a queue of the backend belongs to: Flink says it by the name of the queue
 * only.
 */
final class TimerQueues {

    private static final String EVENT_TIME = "_timer_state/event_";
    private static final String PROCESSING_TIME = "_timer_state/processing_";

    private TimerQueues() {}

    static boolean isOfEventTime(String queue) {
        return queue.startsWith(EVENT_TIME);
    }

    static boolean isOfProcessingTime(String queue) {
        return queue.startsWith(PROCESSING_TIME);
    }

    /**
     * The service whose event-time timers are in the queue, or null: another queue, or nobody asked
     * for it yet.
     */
    static InternalTimerServiceImpl<?, ?> eventTimeService(
            InternalTimeServiceManagerImpl<?> manager, String queue) {
        return service(manager, queue, EVENT_TIME);
    }

    /** As {@link #eventTimeService}, for processing-time timers. */
    static InternalTimerServiceImpl<?, ?> processingTimeService(
            InternalTimeServiceManagerImpl<?> manager, String queue) {
        return service(manager, queue, PROCESSING_TIME);
    }

    private static InternalTimerServiceImpl<?, ?> service(
            InternalTimeServiceManagerImpl<?> manager, String queue, String prefix) {
        return queue.startsWith(prefix)
                ? TimerAccess.timerServices(manager).get(queue.substring(prefix.length()))
                : null;
    }
}
