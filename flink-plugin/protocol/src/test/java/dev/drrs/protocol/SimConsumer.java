package dev.drrs.protocol;

import static dev.drrs.protocol.Violation.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A downstream task with its share of a sink that is transactional per checkpoint. Barriers of
 * unaligned checkpoints overtake what is in its channels: that goes into the checkpoint, but for
 * the plug-in's own events, as in Flink.
 */
final class SimConsumer implements ResultOrder.Effects {

    final int index;
    final Simulation sim;
    final ArrayDeque<Item>[] queues;
    final Valve valve;
    final Map<Long, Integer> results = new HashMap<>();
    private final boolean[] barriers;
    private final boolean[] held;
    private final ResultOrder order = new ResultOrder(this);

    /** Per key the number of its last result. */
    private final long[] last = new long[Simulation.KEYS];

    /** Of the unaligned checkpoint under way, per channel: what was taken since the snapshot. */
    private final List<List<Item>> since = new ArrayList<>();

    private boolean overtaken;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    SimConsumer(int index, Simulation sim, Set<Integer> active, Map<Long, Integer> results) {
        this.index = index;
        this.sim = sim;
        this.results.putAll(results);
        queues = new ArrayDeque[sim.ceiling];
        barriers = new boolean[sim.ceiling];
        held = new boolean[sim.ceiling];
        valve = new Valve(sim.ceiling);
        for (int i = 0; i < sim.ceiling; i++) {
            queues[i] = new ArrayDeque<>();
            since.add(new ArrayList<>());
            if (!active.contains(i)) {
                valve.remove(i);
            }
        }
    }

    long open(int subtask) {
        long clock = valve.clock();
        valve.add(subtask, sim.mutated(Mutation.CONSUMER_UNALIGNED) ? Long.MIN_VALUE : clock);
        if (sim.mutated(Mutation.CONSUMER_UNALIGNED)) {
            valve.status(subtask, true);
            valve.status(subtask, false);
        }
        return clock;
    }

    boolean mayStep(int subtask) {
        boolean aligns = barriers[subtask] && !sim.unaligned;
        return !queues[subtask].isEmpty() && !aligns && !held[subtask];
    }

    boolean hasRoom(int subtask) {
        return queues[subtask].size() < sim.outputCapacity;
    }

    void step(int subtask) {
        Item item = queues[subtask].poll();
        if (overtaken && !barriers[subtask]) {
            since.get(subtask).add(item);
        }
        long before = valve.clock();
        switch (item.kind) {
            case WATERMARK -> valve.watermark(subtask, item.value);
            case STATUS -> valve.status(subtask, item.value == 1);
            case ALIGN -> {
                valve.align(subtask);
                long clock = valve.clock();
                sim.tell(
                        "aligned",
                        () ->
                                sim.rescaleOf(item.subscale)
                                        .hear(m -> m.onConsumerAligned(item.subscale, clock)));
            }
            case RESULTS_END -> order.onEnd(item.subscale);
            case RESULTS_BEGIN -> order.onBegin(subtask, item.subscale);
            case END -> {
                valve.remove(subtask);
                sim.tell("ended", () -> sim.ended(subtask));
            }
            case BARRIER -> onBarrier(subtask, item.checkpoint);
            case UPDATE -> inOrder(item);
            default -> onResult(subtask, item);
        }
        check(valve.clock() >= before, "I5: downstream event time goes back");
    }

    private void onBarrier(int subtask, Simulation.Checkpoint checkpoint) {
        barriers[subtask] = true;
        if (allBarriers()) {
            sim.acknowledge(
                    checkpoint,
                    "consumer " + index,
                    () -> checkpoint.results.put(index, new HashMap<>(results)));
        }
    }

    /** The barrier of an unaligned checkpoint comes before what is in the channel. */
    void overtake(int subtask, Simulation.Checkpoint checkpoint) {
        if (!overtaken) {
            overtaken = true;
            since.forEach(List::clear);
            checkpoint.results.put(index, new HashMap<>(results));
        }
        List<Item> inFlight = new ArrayList<>(since.get(subtask));
        inFlight.addAll(queues[subtask]);
        inFlight.removeIf(item -> !item.isKept());
        checkpoint.inFlight.put(index * sim.ceiling + subtask, inFlight);
        barriers[subtask] = true;
        if (allBarriers()) {
            overtaken = false;
            sim.acknowledge(checkpoint, "consumer " + index, () -> {});
        }
    }

    private boolean allBarriers() {
        for (int i = 0; i < barriers.length; i++) {
            if (valve.present(i) && !barriers[i]) {
                return false;
            }
        }
        Arrays.fill(barriers, false);
        return true;
    }

    private void onResult(int subtask, Item item) {
        check(valve.present(subtask), "result from closed subtask " + subtask);
        inOrder(item);
        // after a restore clocks start anew: what was late is not late any more, and the watermark
        // before what was in flight may have been taken
        boolean again = sim.restored && (sim.idleRate > 0 || sim.unaligned);
        check(
                item.value > valve.clock() || item.excused || again,
                "I5: result ts " + item.value + " late downstream, clock " + valve.clock());
        check(
                !results.containsKey(item.window) || again,
                "I5: window " + item.window + " fires twice");
        results.merge(item.window, item.count, Integer::sum);
    }

    private void inOrder(Item item) {
        check(
                item.number > last[item.key],
                "I9: " + item + " at consumer " + index + " after number " + last[item.key]);
        last[item.key] = item.number;
    }

    // ---- order of results -----------------------------------------------------------------------

    @Override
    public void hold(int channel) {
        sim.saw("results wait for those of the old owner");
        held[channel] = !sim.mutated(Mutation.NO_BEGIN_WAIT);
    }

    @Override
    public void resume(int channel) {
        held[channel] = false;
    }

    @Override
    public void passed(int subscale) {
        sim.tell(
                "results of " + subscale + " passed at consumer " + index,
                () -> sim.rescaleOf(subscale).hear(m -> m.onResultsPassed(subscale)));
    }
}
