package dev.drrs.runtime.state;

import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.util.function.ThrowingRunnable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Event time of the subscales that are open at a new owner: keeps their event-time timers apart from the operator's
 * other ones and lets them fire, and elements be judged, by the subscale's own clock.
 *
 * <p>Life of a subscale: {@link #open} before its first key group is installed, any number of {@link #withClock} and
 * {@link #fire}, then {@link #join} when its clock equals the main clock. When none is open {@link #closeIfIdle} puts
 * the operator's own timer queues back, so that nothing of this costs anything without a rescale. All timer services of
 * the operator are covered, also those that user code asks for later: each method looks for new ones, and {@link
 * #rescan} is to be called before the main clock advances, as a service may be new since the last call.
 *
 * <p>For the mailbox thread only; no method may be called from within {@link #fire} or {@link #withClock}. Clocks are
 * event time in milliseconds.
 */
public final class SubscaleTimers {

    private final InternalTimeServiceManagerImpl<?> manager;
    private final int maxParallelism;
    private final Map<String, Service<?, ?>> services = new LinkedHashMap<>();
    private final Map<Integer, Open> open = new LinkedHashMap<>();
    private final Integer[] subscaleOf;
    private boolean applied;

    private static final class Open {
        final int[] keyGroups;
        Long clock;

        Open(int[] keyGroups) {
            this.keyGroups = keyGroups;
        }
    }

    private static final class Service<K, N> {
        final InternalTimerServiceImpl<K, N> service;
        final SplitTimerQueue<K, N> queue;

        Service(InternalTimerServiceImpl<K, N> service, int maxParallelism) {
            this.service = service;
            this.queue = new SplitTimerQueue<>(HeapStateAccess.eventTimeTimers(service), maxParallelism);
            HeapStateAccess.eventTimeTimers(service, queue);
        }

        void putOriginalBack() {
            HeapStateAccess.eventTimeTimers(service, queue.main());
        }
    }

    public SubscaleTimers(HeapKeyedStateBackend<?> backend, InternalTimeServiceManagerImpl<?> manager) {
        this.manager = manager;
        this.maxParallelism = backend.getNumberOfKeyGroups();
        this.subscaleOf = new Integer[maxParallelism];
    }

    /**
     * Keeps the event-time timers of these key groups apart from now on.
     *
     * @throws IllegalStateException if the subscale or one of the key groups is open already
     */
    public void open(int subscale, int... keyGroups) {
        if (open.containsKey(subscale)) {
            throw new IllegalStateException("Subscale " + subscale + " is open already.");
        }
        for (int keyGroup : keyGroups) {
            if (subscaleOf[keyGroup] != null) {
                throw new IllegalStateException(
                        "Key group "
                                + keyGroup
                                + " is in the open subscale "
                                + subscaleOf[keyGroup]
                                + ", so it cannot be in subscale "
                                + subscale
                                + ".");
            }
        }
        rescan();
        int[] copy = keyGroups.clone();
        open.put(subscale, new Open(copy));
        for (int keyGroup : copy) {
            subscaleOf[keyGroup] = subscale;
        }
        services.values().forEach(service -> service.queue.open(subscale, copy));
        rescan();
    }

    public boolean isOpen(int subscale) {
        return open.containsKey(subscale);
    }

    /** The open subscale of a key group, or null. */
    public Integer subscaleOf(int keyGroup) {
        return subscaleOf[keyGroup];
    }

    /** Whether no subscale is open. */
    public boolean isIdle() {
        return open.isEmpty();
    }

    /**
     * Covers timer services that are new since the last call. Cheap when there is none. To be called before the main
     * clock advances and after the operator asked for a timer service.
     */
    public void rescan() {
        if (open.isEmpty()) {
            return;
        }
        Map<String, ? extends InternalTimerServiceImpl<?, ?>> all = HeapStateAccess.timerServices(manager);
        if (all.size() == services.size()) {
            return;
        }
        all.forEach(
                (name, service) -> {
                    if (!services.containsKey(name)) {
                        Service<?, ?> added = new Service<>(service, maxParallelism);
                        services.put(name, added);
                        open.forEach((subscale, of) -> added.queue.open(subscale, of.keyGroups));
                    }
                });
    }
}
