package dev.drrs.runtime.state;

import dev.drrs.flink.TimerAccess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Event time of the subscales that are open at a new owner: keeps their event-time timers apart
 * from the operator's other ones and lets them fire, and elements be judged, by the subscale's own
 * clock.
 *
 * <p>Life of a subscale: {@link #open} before its first key group is installed, any number of
 * {@link #withClock} and {@link #fire}, then {@link #join} when its clock equals the main clock.
 * When none is open {@link #closeIfIdle} puts the operator's own timer queues back, so that nothing
 * of this costs anything without a rescale. All timer services of the operator are covered, also
 * those that user code asks for later: each method looks for new ones, and {@link #rescan} is to be
 * called before the main clock advances, as a service may be new since the last call.
 *
 * <p>For the mailbox thread only; no method may be called from within {@link #fire} or {@link
 * #withClock}. Clocks are event time in milliseconds.
 */
public final class SubscaleTimers {

    private final InternalTimeServiceManagerImpl<?> manager;
    private final int maxParallelism;
    private final SubscaleTimerQueue.Factory queues;
    private final Map<String, Service<?, ?>> services = new LinkedHashMap<>();
    private final Map<Integer, Open> open = new LinkedHashMap<>();
    private final Integer[] subscaleOf;

    private static final class Open {
        final int[] keyGroups;
        Long clock;

        Open(int[] keyGroups) {
            this.keyGroups = keyGroups;
        }
    }

    private static final class Service<K, N> {
        final InternalTimerServiceImpl<K, N> service;
        final SubscaleTimerQueue<K, N> queue;

        Service(
                InternalTimerServiceImpl<K, N> service,
                SubscaleTimerQueue.Factory queues,
                int maxParallelism) {
            this.service = service;
            this.queue = queues.over(TimerAccess.eventTimeTimers(service), maxParallelism);
            TimerAccess.eventTimeTimers(service, queue);
        }

        void putOriginalBack() {
            TimerAccess.eventTimeTimers(service, queue.main());
        }
    }

    /**
     * @param manager of the operator's timer services
     * @param queues make what stands in for the backend's queues
     */
    public SubscaleTimers(
            int maxParallelism,
            InternalTimeServiceManagerImpl<?> manager,
            SubscaleTimerQueue.Factory queues) {
        this.manager = manager;
        this.maxParallelism = maxParallelism;
        this.queues = queues;
        this.subscaleOf = new Integer[maxParallelism];
    }

    /**
     * Keeps the event-time timers of these key groups apart from now on.
     *
     * @throws IllegalArgumentException if there is no key group
     * @throws IllegalStateException if the subscale or one of the key groups is open already
     */
    public void open(int subscale, int... keyGroups) {
        if (keyGroups.length == 0) {
            throw new IllegalArgumentException("Subscale " + subscale + " has no key group.");
        }
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
     * Fires the due timers of a subscale in every timer service and moves its clock there. The
     * services' main clock is afterwards what it was, also if a timer throws.
     *
     * @param clock the subscale's clock, in event-time milliseconds
     */
    public void fire(int subscale, long clock) throws Exception {
        Open of = get(subscale);
        rescan();
        advance(of, clock, queue -> queue.show(subscale));
        of.clock = clock;
    }

    /**
     * As {@link #fire(int, long)}, for one key group of the subscale only, or one bin of it, and
     * without a change of its clock: timers of others that are at or below it wait for it to
     * advance.
     */
    public void fire(int subscale, int keyGroup, KeyBin bin, long clock) throws Exception {
        Open of = get(subscale);
        rescan();
        advance(of, clock, queue -> queue.showAlone(keyGroup, bin, clock));
    }

    private void advance(Open of, long clock, Consumer<SubscaleTimerQueue<?, ?>> show)
            throws Exception {
        List<Service<?, ?>> all = List.copyOf(services.values());
        long[] main = readClocks(all);
        try {
            // As in Flink, a service has the old clock until it is its turn.
            setClocks(all, of.clock == null ? clock : of.clock);
            for (Service<?, ?> each : all) {
                if (TimerAccess.isStarted(each.service)) {
                    show.accept(each.queue);
                    try {
                        each.service.advanceWatermark(clock);
                    } finally {
                        each.queue.showMain();
                    }
                }
            }
        } finally {
            writeClocks(all, main);
        }
    }

    /**
     * Runs something (one element) under a subscale's clock: every timer service answers it as its
     * current watermark. Works without an open subscale as well. Timers that are due by it fire at
     * the next {@link #fire}, not here.
     */
    public <E extends Throwable> void withClock(long clock, ThrowingRunnable<E> action) throws E {
        rescan();
        List<InternalTimerServiceImpl<?, ?>> all =
                new ArrayList<>(TimerAccess.timerServices(manager).values());
        long[] main = new long[all.size()];
        for (int i = 0; i < main.length; i++) {
            main[i] = TimerAccess.clock(all.get(i));
            TimerAccess.clock(all.get(i), clock);
        }
        try {
            action.run();
        } finally {
            for (int i = 0; i < main.length; i++) {
                TimerAccess.clock(all.get(i), main[i]);
            }
            rescan();
        }
    }

    /**
     * Ends a subscale: its timers belong to the main clock from now on.
     *
     * @throws IllegalStateException if the subscale is not open
     */
    public void join(int subscale) {
        Open of = get(subscale);
        rescan();
        services.values().forEach(service -> service.queue.join(subscale));
        open.remove(subscale);
        for (int keyGroup : of.keyGroups) {
            subscaleOf[keyGroup] = null;
        }
    }

    /** Puts the operator's own timer queues back if no subscale is open. Otherwise does nothing. */
    public void closeIfIdle() {
        if (open.isEmpty()) {
            services.values().forEach(Service::putOriginalBack);
            services.clear();
        }
    }

    /**
     * Makes the separate timers part of the snapshot that is taken next, in the synchronous part.
     */
    public void beforeSnapshot() {
        rescan();
        services.values().forEach(service -> service.queue.beforeSnapshot());
    }

    /** Undoes {@link #beforeSnapshot}; to be called in any case, also if the snapshot failed. */
    public void afterSnapshot() {
        services.values().forEach(service -> service.queue.afterSnapshot());
    }

    /**
     * Covers timer services that are new since the last call. Cheap when there is none. To be
     * called before the main clock advances and after the operator asked for a timer service.
     */
    public void rescan() {
        if (open.isEmpty()) {
            return;
        }
        Map<String, ? extends InternalTimerServiceImpl<?, ?>> all =
                TimerAccess.timerServices(manager);
        if (all.size() == services.size()) {
            return;
        }
        all.forEach(
                (name, service) -> {
                    if (!services.containsKey(name)) {
                        Service<?, ?> added = new Service<>(service, queues, maxParallelism);
                        services.put(name, added);
                        open.forEach((subscale, of) -> added.queue.open(subscale, of.keyGroups));
                    }
                });
    }

    private Open get(int subscale) {
        Open of = open.get(subscale);
        if (of == null) {
            throw new IllegalStateException("Subscale " + subscale + " is not open.");
        }
        return of;
    }

    private static long[] readClocks(List<Service<?, ?>> all) {
        return all.stream().mapToLong(each -> TimerAccess.clock(each.service)).toArray();
    }

    private static void setClocks(List<Service<?, ?>> all, long clock) {
        all.forEach(each -> TimerAccess.clock(each.service, clock));
    }

    private static void writeClocks(List<Service<?, ?>> all, long[] clocks) {
        for (int i = 0; i < clocks.length; i++) {
            TimerAccess.clock(all.get(i).service, clocks[i]);
        }
    }
}
