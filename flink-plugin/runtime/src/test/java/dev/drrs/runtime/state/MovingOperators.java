package dev.drrs.runtime.state;

import dev.drrs.runtime.supported.StateBackends;
import dev.drrs.runtime.supported.StateSupport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/**
 * Several subtasks of one operator and key groups that move between them, beside one subtask that
 * has all key groups and never moves any. All get the same log of elements and watermarks. Each
 * subtask, and each open subscale, reads the log at its own pace, as tasks with different backlogs
 * do; so their clocks differ, and what comes out per key must not.
 */
final class MovingOperators<IN> implements AutoCloseable {

    private static final int MAX_PARALLELISM = 16;

    private final Supplier<OneInputStreamOperator<IN, String>> operators;
    private final KeySelector<IN, Integer> keys;
    private final Random random;
    private final int chunkBytes;
    private final List<Object> log = new ArrayList<>();
    private final List<Subtask> subtasks = new ArrayList<>();
    private final Map<Integer, Subscale> subscales = new LinkedHashMap<>();
    private final Object[] unitOf = new Object[MAX_PARALLELISM];
    private final Subtask reference;
    private final Map<String, List<String>> actual = new HashMap<>();
    private final Map<String, List<String>> expected = new HashMap<>();
    private final List<Subtask> restored = new ArrayList<>();
    private int nextSubscale;
    private int moved;
    private Ahead ahead;
    private int copiedAhead;

    /** A watermark in the log; anything else in it is an element. */
    private record Mark(long timestamp) {}

    private final class Subtask {
        KeyedOneInputStreamOperatorTestHarness<Integer, IN, String> harness;
        KeyedStateMover mover;
        SubscaleTimers timers;
        int position;

        Subtask(OperatorSubtaskState state) throws Exception {
            harness =
                    new KeyedOneInputStreamOperatorTestHarness<>(
                            operators.get(),
                            keys,
                            TypeInformation.of(Integer.class),
                            MAX_PARALLELISM,
                            1,
                            0);
            harness.setup();
            if (state != null) {
                harness.initializeState(state);
            }
            harness.open();
            MovableState moved =
                    new StateSupport(StateBackends.ALL).movable(harness.getOperator(), chunkBytes);
            mover = moved.mover();
            timers = moved.timers();
        }

        void collect(Map<String, List<String>> into) {
            for (Object each : harness.getOutput()) {
                if (each instanceof StreamRecord<?> record) {
                    String text = (String) record.getValue();
                    into.computeIfAbsent(
                                    text.substring(0, text.indexOf('|')), key -> new ArrayList<>())
                            .add(text);
                }
            }
            harness.getOutput().clear();
        }
    }

    /** Key groups that are copied ahead, by a thread of its own, while they stay where they are. */
    private final class Ahead {
        final Subtask from;
        final Subtask to;
        final int subscale;
        final int[] keyGroups;
        final CopiedKeyGroups copied;
        final CompletableFuture<Map<Integer, IncomingKeyGroup>> arrives;

        Ahead(Subtask from, Subtask to, int subscale, int[] keyGroups) {
            this.from = from;
            this.to = to;
            this.subscale = subscale;
            this.keyGroups = keyGroups;
            copied = from.mover.copy(keyGroups);
            arrives = CompletableFuture.supplyAsync(this::send);
        }

        private Map<Integer, IncomingKeyGroup> send() {
            Map<Integer, IncomingKeyGroup> arrived = new HashMap<>();
            try {
                for (int keyGroup : keyGroups) {
                    copied.write(
                            keyGroup,
                            (of, chunk, last) -> {
                                if (arrived.computeIfAbsent(of, g -> to.mover.begin(subscale, g))
                                        .add(chunk)) {
                                    throw new AssertionError("complete with a copy only");
                                }
                            });
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return arrived;
        }
    }

    private final class Subscale {
        final int id;
        final Subtask at;
        final int[] keyGroups;
        int position;
        long clock;

        Subscale(int id, Subtask at, int[] keyGroups, int position, long clock) {
            this.id = id;
            this.at = at;
            this.keyGroups = keyGroups;
            this.position = position;
            this.clock = clock;
        }
    }

    MovingOperators(
            int number,
            Supplier<OneInputStreamOperator<IN, String>> operators,
            KeySelector<IN, Integer> keys,
            Random random,
            int chunkBytes)
            throws Exception {
        this.operators = operators;
        this.keys = keys;
        this.random = random;
        this.chunkBytes = chunkBytes;
        this.reference = new Subtask(null);
        for (int i = 0; i < number; i++) {
            subtasks.add(new Subtask(null));
        }
        for (int keyGroup = 0; keyGroup < MAX_PARALLELISM; keyGroup++) {
            unitOf[keyGroup] = subtasks.get(keyGroup % number);
        }
    }

    void element(IN element, long timestamp) {
        log.add(new StreamRecord<>(element, timestamp));
    }

    void watermark(long timestamp) {
        log.add(new Mark(timestamp));
    }

    /** Lets subtasks and subscales read on by random numbers of elements, some not at all. */
    void someProgress() throws Exception {
        for (int i = 0; i < 20; i++) {
            List<Object> units = units();
            Object unit = units.get(random.nextInt(units.size()));
            for (int steps = random.nextInt(10); steps > 0; steps--) {
                step(unit);
            }
        }
        joinWherePossible();
    }

    /** Lets everybody read to the end of the log. */
    void catchUp() throws Exception {
        for (Object unit : units()) {
            while (step(unit)) {
                // on to the end
            }
        }
        while (step(reference)) {
            // on to the end
        }
    }

    void joinWherePossible() {
        for (Iterator<Subscale> each = subscales.values().iterator(); each.hasNext(); ) {
            Subscale subscale = each.next();
            if (subscale.position == subscale.at.position) {
                subscale.at.timers.join(subscale.id);
                subscale.at.timers.closeIfIdle();
                for (int keyGroup : subscale.keyGroups) {
                    unitOf[keyGroup] = subscale.at;
                }
                each.remove();
            }
        }
    }

    private List<Object> units() {
        List<Object> units = new ArrayList<>(subtasks);
        units.addAll(subscales.values());
        return units;
    }

    @SuppressWarnings("unchecked")
    private boolean step(Object unit) throws Exception {
        int position =
                unit instanceof MovingOperators<?>.Subtask subtask
                        ? subtask.position
                        : ((Subscale) unit).position;
        if (position == log.size()) {
            return false;
        }
        Object next = log.get(position);
        boolean mine =
                next instanceof Mark || unit == reference || unitOf[keyGroupOf(next)] == unit;
        if (unit instanceof MovingOperators<?>.Subtask) {
            Subtask subtask = (Subtask) unit;
            subtask.position++;
            if (next instanceof Mark mark) {
                subtask.timers.rescan();
                subtask.harness.processWatermark(mark.timestamp);
            } else if (mine) {
                subtask.harness.processElement((StreamRecord<IN>) next);
            }
            subtask.collect(subtask == reference ? expected : actual);
        } else {
            Subscale subscale = (Subscale) unit;
            subscale.position++;
            if (next instanceof Mark mark) {
                subscale.clock = mark.timestamp;
                subscale.at.timers.fire(subscale.id, mark.timestamp);
            } else if (mine) {
                subscale.at.timers.withClock(
                        subscale.clock,
                        () -> subscale.at.harness.processElement((StreamRecord<IN>) next));
            }
            subscale.at.collect(actual);
        }
        return true;
    }

    @SuppressWarnings("unchecked")
    private int keyGroupOf(Object element) throws Exception {
        return KeyGroupRangeAssignment.assignToKeyGroup(
                keys.getKey(((StreamRecord<IN>) element).getValue()), MAX_PARALLELISM);
    }

    /**
     * Copies some key groups ahead. The next move is theirs, or drops the copy, unless it comes too
     * soon for it.
     */
    void copySome() {
        Subtask from = subtasks.get(random.nextInt(subtasks.size()));
        Subtask to = subtasks.get(random.nextInt(subtasks.size()));
        int[] keyGroups = some(from);
        if (ahead == null && from != to && keyGroups.length > 0) {
            ahead = new Ahead(from, to, nextSubscale++, keyGroups);
        }
    }

    private int[] some(Subtask from) {
        return IntStream.range(0, MAX_PARALLELISM)
                .filter(keyGroup -> unitOf[keyGroup] == from && random.nextBoolean())
                .toArray();
    }

    /** Moves about half of the key groups of a random subtask to another one, or those copied. */
    void moveSome() throws Exception {
        if (ahead != null) {
            Ahead copy = ahead;
            ahead = null;
            Map<Integer, IncomingKeyGroup> arrived = await(copy.arrives);
            if (random.nextInt(4) == 0) {
                copy.copied.release();
            } else {
                copiedAhead += arrived.size();
                move(copy.from, copy.to, copy.subscale, copy.keyGroups, arrived);
            }
            return;
        }
        Subtask from = subtasks.get(random.nextInt(subtasks.size()));
        Subtask to = subtasks.get(random.nextInt(subtasks.size()));
        int[] keyGroups = some(from);
        if (from != to && keyGroups.length > 0) {
            move(from, to, nextSubscale++, keyGroups, Map.of());
        }
    }

    private void move(
            Subtask from,
            Subtask to,
            int id,
            int[] keyGroups,
            Map<Integer, IncomingKeyGroup> copied)
            throws Exception {
        long clock = from.harness.getCurrentWatermark();
        Subscale subscale = new Subscale(id, to, keyGroups, from.position, clock);
        DetachedKeyGroups detached = from.mover.detach(keyGroups);
        to.timers.open(subscale.id, keyGroups);
        // On a thread of its own, and with the key groups' chunks mixed.
        List<IncomingKeyGroup> arrived =
                await(
                        CompletableFuture.supplyAsync(
                                () -> transfer(detached, to, subscale.id, copied)));
        for (IncomingKeyGroup each : arrived) {
            each.install();
        }
        Arrays.stream(keyGroups).forEach(keyGroup -> unitOf[keyGroup] = subscale);
        subscales.put(subscale.id, subscale);
        moved += keyGroups.length;
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }

    private List<IncomingKeyGroup> transfer(
            DetachedKeyGroups detached,
            Subtask to,
            int subscale,
            Map<Integer, IncomingKeyGroup> copied) {
        try {
            List<List<ByteBuffer>> chunks = new ArrayList<>();
            List<IncomingKeyGroup> incoming = new ArrayList<>();
            for (int keyGroup : detached.keyGroups()) {
                IncomingKeyGroup begun = copied.get(keyGroup);
                int bins = begun == null ? 1 + (subscale + keyGroup) % 3 : 1;
                for (int number = 0; number < bins; number++) {
                    KeyBin bin = new KeyBin(number, bins);
                    chunks.add(chunks(detached, keyGroup, bin));
                    detached.release(keyGroup, bin);
                    incoming.add(begun == null ? to.mover.begin(subscale, keyGroup, bin) : begun);
                }
            }
            boolean more = true;
            for (int i = 0; more; i++) {
                more = false;
                for (int each = 0; each < chunks.size(); each++) {
                    if (i < chunks.get(each).size()) {
                        boolean complete = incoming.get(each).add(chunks.get(each).get(i));
                        if (complete != (i == chunks.get(each).size() - 1)) {
                            throw new AssertionError(
                                    "complete at chunk " + i + " of " + chunks.get(each).size());
                        }
                        more = true;
                    }
                }
            }
            return incoming;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private List<ByteBuffer> chunks(DetachedKeyGroups detached, int keyGroup, KeyBin bin)
            throws Exception {
        List<ByteBuffer> own = new ArrayList<>();
        detached.write(
                keyGroup,
                bin,
                (of, chunk, last) -> {
                    if (chunk.remaining() > chunkBytes || !chunk.hasRemaining()) {
                        throw new AssertionError("a chunk of " + chunk.remaining() + " bytes");
                    }
                    own.add(chunk);
                });
        return own;
    }

    /**
     * Snapshots all subtasks, with subscales open, and restores one new subtask from the parts put
     * together, one from the reference. The snapshotted ones go on as well.
     */
    void restoreFromSnapshot() throws Exception {
        catchUp();
        List<OperatorSubtaskState> states = new ArrayList<>();
        for (Subtask subtask : subtasks) {
            subtask.timers.beforeSnapshot();
            try {
                states.add(subtask.harness.snapshot(1, 1));
            } finally {
                subtask.timers.afterSnapshot();
            }
        }
        restored.add(
                new Subtask(
                        KeyedOneInputStreamOperatorTestHarness.repackageState(
                                states.toArray(new OperatorSubtaskState[0]))));
        restored.add(new Subtask(reference.harness.snapshot(1, 1)));
        restored.forEach(each -> each.position = log.size());
    }

    /**
     * Outputs after {@link #restoreFromSnapshot}: of the restored parts, and of the restored
     * reference.
     */
    List<Map<String, List<String>>> outputsAfterRestore() throws Exception {
        List<Map<String, List<String>>> both = new ArrayList<>();
        for (Subtask subtask : restored) {
            Map<String, List<String>> outputs = new HashMap<>();
            for (Object next : log.subList(subtask.position, log.size())) {
                if (next instanceof Mark mark) {
                    subtask.harness.processWatermark(mark.timestamp);
                } else {
                    @SuppressWarnings("unchecked")
                    StreamRecord<IN> element = (StreamRecord<IN>) next;
                    subtask.harness.processElement(element);
                }
                subtask.collect(outputs);
            }
            both.add(outputs);
            subtask.harness.close();
        }
        return both;
    }

    /** Processing time in milliseconds, of timers and of TTL, for all. */
    void processingTime(long time) throws Exception {
        catchUp();
        for (Subtask subtask : allSubtasks()) {
            subtask.harness.setStateTtlProcessingTime(time);
            subtask.harness.setProcessingTime(time);
            subtask.collect(subtask == reference ? expected : actual);
        }
    }

    private List<Subtask> allSubtasks() {
        List<Subtask> all = new ArrayList<>(subtasks);
        all.add(reference);
        return all;
    }

    Map<String, List<String>> actual() {
        return actual;
    }

    Map<String, List<String>> expected() {
        return expected;
    }

    /** Key groups that had been copied when they moved. */
    int copiedAhead() {
        return copiedAhead;
    }

    int moved() {
        return moved;
    }

    /** State entries and timers over all subtasks but the reference, and those of the reference. */
    int[] leftOver() {
        int here = 0;
        for (Subtask subtask : subtasks) {
            here += count(subtask);
        }
        return new int[] {here, count(reference)};
    }

    private int count(Subtask subtask) {
        return subtask.harness.numKeyedStateEntries()
                + subtask.harness.numEventTimeTimers()
                + subtask.harness.numProcessingTimeTimers();
    }

    @Override
    public void close() throws Exception {
        for (Subtask subtask : allSubtasks()) {
            subtask.harness.close();
        }
    }
}
