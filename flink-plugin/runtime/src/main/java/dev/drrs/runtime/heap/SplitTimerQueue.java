package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.SubscaleTimerQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.state.KeyExtractorFunction;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.PriorityComparator;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.util.CloseableIterator;

/** Keeps the timers of each open subscale in a queue of its own. For the mailbox thread only. */
final class SplitTimerQueue<K, N> implements SubscaleTimerQueue<K, N> {

    private final KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> main;
    private final int maxParallelism;
    private final Map<Integer, Part<K, N>> parts = new LinkedHashMap<>();

    /** By key group; null where the key group is in no open subscale. */
    private final Part<K, N>[] partOf;

    private KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> shown;

    /** Of those, the ones that are shown; null for all. */
    private Alone alone;

    /** Due timers that are not shown, taken out of the queue until all are shown. */
    private final List<TimerHeapInternalTimer<K, N>> passedOver = new ArrayList<>();

    private List<TimerHeapInternalTimer<K, N>> copiedForSnapshot = List.of();

    private record Part<K, N>(
            int[] keyGroups, HeapPriorityQueueSet<TimerHeapInternalTimer<K, N>> queue) {}

    private record Alone(int keyGroup, KeyBin bin, long clock) {}

    @SuppressWarnings({"unchecked", "rawtypes"})
    SplitTimerQueue(
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> main,
            int maxParallelism) {
        this.main = main;
        this.maxParallelism = maxParallelism;
        this.partOf = new Part[maxParallelism];
        this.shown = main;
    }

    @Override
    public KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> main() {
        return main;
    }

    boolean isOpen(int keyGroup) {
        return partOf[keyGroup] != null;
    }

    @Override
    public void open(int subscale, int[] keyGroups) {
        Part<K, N> part = newPart(keyGroups);
        for (int keyGroup : keyGroups) {
            moveOver(keyGroup, part);
        }
        parts.put(subscale, part);
    }

    private Part<K, N> newPart(int... keyGroups) {
        int first = Integer.MAX_VALUE;
        int last = -1;
        for (int keyGroup : keyGroups) {
            first = Math.min(first, keyGroup);
            last = Math.max(last, keyGroup);
        }
        return new Part<>(
                keyGroups,
                new HeapPriorityQueueSet<>(
                        PriorityComparator.forPriorityComparableObjects(),
                        KeyExtractorFunction.forKeyedObjects(),
                        16,
                        KeyGroupRange.of(first, last),
                        maxParallelism));
    }

    private void moveOver(int keyGroup, Part<K, N> to) {
        for (TimerHeapInternalTimer<K, N> timer :
                List.copyOf(main.getSubsetForKeyGroup(keyGroup))) {
            main.remove(timer);
            to.queue.add(timer);
        }
        partOf[keyGroup] = to;
    }

    @Override
    public void join(int subscale) {
        Part<K, N> part = parts.remove(subscale);
        for (int keyGroup : part.keyGroups) {
            partOf[keyGroup] = null;
        }
        for (TimerHeapInternalTimer<K, N> timer = part.queue.poll();
                timer != null;
                timer = part.queue.poll()) {
            main.add(timer);
        }
    }

    @Override
    public void show(int subscale) {
        shown = parts.get(subscale).queue;
    }

    /** Of the others only those that are due are touched: a bin must not cost what all cost. */
    @Override
    public void showAlone(int keyGroup, KeyBin bin, long clock) {
        shown = partOf[keyGroup].queue;
        alone = new Alone(keyGroup, bin, clock);
    }

    @Override
    public void showMain() {
        passedOver.forEach(shown::add);
        passedOver.clear();
        shown = main;
        alone = null;
    }

    /**
     * Puts copies of the separate timers into the main queue, which is the one that a snapshot of
     * the backend reads.
     */
    @Override
    public void beforeSnapshot() {
        List<TimerHeapInternalTimer<K, N>> copies = new ArrayList<>();
        copiedForSnapshot = copies;
        for (Part<K, N> part : parts.values()) {
            try (CloseableIterator<TimerHeapInternalTimer<K, N>> timers = part.queue.iterator()) {
                while (timers.hasNext()) {
                    TimerHeapInternalTimer<K, N> timer = timers.next();
                    // An element knows its place in its heap, so it cannot be in two.
                    TimerHeapInternalTimer<K, N> copy =
                            new TimerHeapInternalTimer<>(
                                    timer.getTimestamp(), timer.getKey(), timer.getNamespace());
                    main.add(copy);
                    copies.add(copy);
                }
            } catch (Exception e) {
                throw new IllegalStateException(
                        "The separate timers could not be read for a snapshot.", e);
            }
        }
    }

    @Override
    public void afterSnapshot() {
        for (TimerHeapInternalTimer<K, N> copy : copiedForSnapshot) {
            main.remove(copy);
        }
        copiedForSnapshot = List.of();
    }

    private KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> queueOf(
            TimerHeapInternalTimer<K, N> timer) {
        Part<K, N> part =
                partOf[KeyGroupRangeAssignment.assignToKeyGroup(timer.getKey(), maxParallelism)];
        return part == null ? main : part.queue;
    }

    @Override
    public TimerHeapInternalTimer<K, N> poll() {
        return peek() == null ? null : shown.poll();
    }

    @Override
    public TimerHeapInternalTimer<K, N> peek() {
        TimerHeapInternalTimer<K, N> first = shown.peek();
        if (alone == null) {
            return first;
        }
        while (isDue(first) && !isAlone(first.getKey())) {
            passedOver.add(shown.poll());
            first = shown.peek();
        }
        return isDue(first) ? first : null;
    }

    private boolean isDue(TimerHeapInternalTimer<K, N> timer) {
        return timer != null && timer.getTimestamp() <= alone.clock;
    }

    private boolean isAlone(K key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, maxParallelism) == alone.keyGroup
                && alone.bin.has(key);
    }

    @Override
    public boolean isEmpty() {
        return peek() == null;
    }

    /** Whether the head may have changed of the queue into which the timer belongs. */
    @Override
    public boolean add(TimerHeapInternalTimer<K, N> timer) {
        return queueOf(timer).add(timer);
    }

    @Override
    public boolean remove(TimerHeapInternalTimer<K, N> timer) {
        return queueOf(timer).remove(timer);
    }

    @Override
    public void addAll(Collection<? extends TimerHeapInternalTimer<K, N>> timers) {
        if (timers != null) {
            timers.forEach(this::add);
        }
    }

    @Override
    public int size() {
        int size = main.size();
        for (Part<K, N> part : parts.values()) {
            size += part.queue.size();
        }
        return size;
    }

    @Override
    public CloseableIterator<TimerHeapInternalTimer<K, N>> iterator() {
        List<CloseableIterator<TimerHeapInternalTimer<K, N>>> all = new ArrayList<>();
        all.add(main.iterator());
        parts.values().forEach(part -> all.add(part.queue.iterator()));
        Iterator<CloseableIterator<TimerHeapInternalTimer<K, N>>> rest =
                List.copyOf(all).iterator();
        return new CloseableIterator<>() {
            private CloseableIterator<TimerHeapInternalTimer<K, N>> current = rest.next();

            @Override
            public boolean hasNext() {
                while (!current.hasNext() && rest.hasNext()) {
                    current = rest.next();
                }
                return current.hasNext();
            }

            @Override
            public TimerHeapInternalTimer<K, N> next() {
                hasNext();
                return current.next();
            }

            @Override
            public void close() throws Exception {
                for (CloseableIterator<?> each : all) {
                    each.close();
                }
            }
        };
    }

    @Override
    public Set<TimerHeapInternalTimer<K, N>> getSubsetForKeyGroup(int keyGroup) {
        Part<K, N> part = partOf[keyGroup];
        return (part == null ? main : part.queue).getSubsetForKeyGroup(keyGroup);
    }
}
