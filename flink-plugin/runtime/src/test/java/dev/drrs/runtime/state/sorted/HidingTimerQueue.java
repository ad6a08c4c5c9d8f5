package dev.drrs.runtime.state.sorted;

import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.SubscaleTimerQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.util.CloseableIterator;

/** Keeps the timers of all open subscales in one list. For the mailbox thread. */
final class HidingTimerQueue<K, N> implements SubscaleTimerQueue<K, N> {

    private final KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> main;
    private final int maxParallelism;
    private final Map<Integer, Integer> subscaleOf = new HashMap<>();
    private final List<TimerHeapInternalTimer<K, N>> hidden = new ArrayList<>();

    /** The key groups of which timers are shown; null for the main ones. */
    private Predicate<TimerHeapInternalTimer<K, N>> shown;

    HidingTimerQueue(
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> main,
            int maxParallelism) {
        this.main = main;
        this.maxParallelism = maxParallelism;
    }

    private int keyGroup(TimerHeapInternalTimer<K, N> timer) {
        return KeyGroupRangeAssignment.assignToKeyGroup(timer.getKey(), maxParallelism);
    }

    @Override
    public KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> main() {
        return main;
    }

    @Override
    public void open(int subscale, int[] keyGroups) {
        for (int keyGroup : keyGroups) {
            List<TimerHeapInternalTimer<K, N>> timers =
                    List.copyOf(main.getSubsetForKeyGroup(keyGroup));
            timers.forEach(main::remove);
            hidden.addAll(timers);
            subscaleOf.put(keyGroup, subscale);
        }
    }

    @Override
    public void join(int subscale) {
        subscaleOf.values().removeIf(open -> open == subscale);
        List<TimerHeapInternalTimer<K, N>> all = List.copyOf(hidden);
        hidden.clear();
        addAll(all);
    }

    @Override
    public void show(int subscale) {
        shown = timer -> subscaleOf.get(keyGroup(timer)) == subscale;
    }

    @Override
    public void showAlone(int alone, KeyBin bin, long clock) {
        shown =
                timer ->
                        timer.getTimestamp() <= clock
                                && keyGroup(timer) == alone
                                && bin.has(timer.getKey());
    }

    @Override
    public void showMain() {
        shown = null;
    }

    @Override
    public void beforeSnapshot() {
        hidden.forEach(main::add);
    }

    @Override
    public void afterSnapshot() {
        hidden.forEach(main::remove);
    }

    @Override
    public TimerHeapInternalTimer<K, N> peek() {
        return shown == null
                ? main.peek()
                : hidden.stream()
                        .filter(timer -> shown.test(timer))
                        .min(Comparator.comparingLong(InternalTimer::getTimestamp))
                        .orElse(null);
    }

    @Override
    public TimerHeapInternalTimer<K, N> poll() {
        TimerHeapInternalTimer<K, N> first = peek();
        if (first != null) {
            remove(first);
        }
        return first;
    }

    @Override
    public boolean isEmpty() {
        return peek() == null;
    }

    @Override
    public boolean add(TimerHeapInternalTimer<K, N> timer) {
        return !subscaleOf.containsKey(keyGroup(timer))
                ? main.add(timer)
                : !hidden.contains(timer) && hidden.add(timer);
    }

    @Override
    public boolean remove(TimerHeapInternalTimer<K, N> timer) {
        return subscaleOf.containsKey(keyGroup(timer)) ? hidden.remove(timer) : main.remove(timer);
    }

    @Override
    public void addAll(Collection<? extends TimerHeapInternalTimer<K, N>> timers) {
        timers.forEach(this::add);
    }

    @Override
    public int size() {
        return main.size() + hidden.size();
    }

    @Override
    public CloseableIterator<TimerHeapInternalTimer<K, N>> iterator() {
        List<TimerHeapInternalTimer<K, N>> all = new ArrayList<>(hidden);
        main.iterator().forEachRemaining(all::add);
        return CloseableIterator.adapterForIterator(all.iterator());
    }

    @Override
    public Set<TimerHeapInternalTimer<K, N>> getSubsetForKeyGroup(int keyGroup) {
        if (!subscaleOf.containsKey(keyGroup)) {
            return main.getSubsetForKeyGroup(keyGroup);
        }
        Set<TimerHeapInternalTimer<K, N>> timers = new HashSet<>(hidden);
        timers.removeIf(timer -> keyGroup(timer) != keyGroup);
        return timers;
    }
}
