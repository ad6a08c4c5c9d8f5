package dev.drrs.runtime.state.sorted;

import dev.drrs.flink.TimerAccess;
import dev.drrs.runtime.state.DetachedKeyGroups;
import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.KeyedStateMover;
import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.state.StateRoom;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.state.SubscaleTimers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/** Numbers and event-time timers of one operator. For the mailbox thread. */
final class SortedState implements MovableState, KeyedStateMover, StateRoom {

    private static final long CAPACITY = 1_000;

    private final SortedBackend.Numbers backend;
    private final InternalTimeServiceManagerImpl<?> manager;
    private final SubscaleTimers timers;

    SortedState(SortedBackend.Numbers backend, InternalTimeServiceManagerImpl<?> manager) {
        this.backend = backend;
        this.manager = manager;
        this.timers =
                new SubscaleTimers(
                        backend.range().getNumberOfKeyGroups(), manager, HidingTimerQueue::new);
    }

    @Override
    public KeyedStateMover mover() {
        return this;
    }

    @Override
    public SubscaleTimers timers() {
        return timers;
    }

    @Override
    public StateRoom room() {
        return this;
    }

    @Override
    public List<SampledKey> sampleKeys(int most) {
        return backend.byKeyGroup().entrySet().stream()
                .map(each -> new SampledKey(each.getValue().firstKey(), each.getKey()))
                .limit(most)
                .toList();
    }

    @Override
    public TypeSerializer<?> keySerializer() {
        return backend.getKeySerializer();
    }

    @Override
    public void timersInSnapshots(boolean included) {
        backend.hook(included ? timers : null);
    }

    // ---- mover

    @Override
    public DetachedKeyGroups detach(int... keyGroups) {
        SortedKeyGroups detached = new SortedKeyGroups();
        for (int keyGroup : keyGroups) {
            NavigableMap<Integer, Long> numbers = backend.byKeyGroup().remove(keyGroup);
            List<SortedKeyGroups.Timer> due = new ArrayList<>();
            services()
                    .forEach(
                            service -> {
                                var queue = queue(service);
                                for (var timer :
                                        List.copyOf(queue.getSubsetForKeyGroup(keyGroup))) {
                                    queue.remove(timer);
                                    due.add(
                                            new SortedKeyGroups.Timer(
                                                    timer.getKey(), timer.getTimestamp()));
                                }
                            });
            detached.add(keyGroup, numbers == null ? new TreeMap<>() : numbers, due);
        }
        return detached;
    }

    @Override
    public IncomingKeyGroup begin(int subscale, int keyGroup, KeyBin bin) {
        return new SortedKeyGroups.Arrival(this, subscale, keyGroup, bin);
    }

    void install(
            int keyGroup,
            KeyBin bin,
            NavigableMap<Integer, Long> numbers,
            List<SortedKeyGroups.Timer> due) {
        if (bin.isAll() && backend.byKeyGroup().containsKey(keyGroup)) {
            throw new IllegalStateException("Key group " + keyGroup + " is here already.");
        }
        if (!numbers.isEmpty()) {
            backend.byKeyGroup().merge(keyGroup, numbers, SortedState::together);
        }
        for (SortedKeyGroups.Timer timer : due) {
            queue(services().get(0))
                    .add(
                            new TimerHeapInternalTimer<>(
                                    timer.timestamp(), timer.key(), VoidNamespace.INSTANCE));
        }
    }

    private static NavigableMap<Integer, Long> together(
            NavigableMap<Integer, Long> there, NavigableMap<Integer, Long> more) {
        there.putAll(more);
        return there;
    }

    @SuppressWarnings("unchecked")
    private List<InternalTimerServiceImpl<Integer, VoidNamespace>> services() {
        return TimerAccess.timerServices(manager).values().stream()
                .map(service -> (InternalTimerServiceImpl<Integer, VoidNamespace>) service)
                .toList();
    }

    private static KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>
            queue(InternalTimerServiceImpl<Integer, VoidNamespace> service) {
        return TimerAccess.eventTimeTimers(service);
    }

    @Override
    public StateSizes sizes(int samplesPerState) {
        long[] entries = new long[backend.range().getNumberOfKeyGroups()];
        backend.byKeyGroup().forEach((keyGroup, numbers) -> entries[keyGroup] = numbers.size());
        return new StateSizes(0, entries, bytes(entries));
    }

    private static long[] bytes(long[] entries) {
        return Arrays.stream(entries).map(each -> each * SortedKeyGroups.CHUNK_BYTES).toArray();
    }

    // ---- room

    @Override
    public long[] taken(StateSizes sizes) {
        long[] taken = new long[sizes.numberOfKeyGroups()];
        Arrays.setAll(taken, sizes::bytes);
        return taken;
    }

    @Override
    public long free(long wanted) {
        return CAPACITY - Arrays.stream(taken(sizes(1))).sum();
    }
}
