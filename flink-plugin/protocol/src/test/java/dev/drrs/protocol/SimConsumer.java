package dev.drrs.protocol;

import static dev.drrs.protocol.Violation.check;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A downstream task with its share of a sink that is transactional per checkpoint. */
final class SimConsumer {

    final int index;
    final Simulation sim;
    final ArrayDeque<Item>[] queues;
    final Valve valve;
    final Map<Long, Integer> results = new HashMap<>();
    final boolean[] barriers;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    SimConsumer(int index, Simulation sim, Set<Integer> active, Map<Long, Integer> results) {
        this.index = index;
        this.sim = sim;
        this.results.putAll(results);
        queues = new ArrayDeque[sim.ceiling];
        barriers = new boolean[sim.ceiling];
        valve = new Valve(sim.ceiling);
        for (int i = 0; i < sim.ceiling; i++) {
            queues[i] = new ArrayDeque<>();
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

    void step(int subtask) {
        Item item = queues[subtask].poll();
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
                                        .migration
                                        .onConsumerAligned(item.subscale, clock));
            }
            case END -> {
                valve.remove(subtask);
                sim.tell("ended", () -> sim.ended(subtask));
            }
            case BARRIER -> onBarrier(subtask, item.checkpoint);
            default -> onResult(subtask, item);
        }
        check(valve.clock() >= before, "I5: downstream event time goes back");
    }

    private void onBarrier(int subtask, Simulation.Checkpoint checkpoint) {
        barriers[subtask] = true;
        for (int i = 0; i < barriers.length; i++) {
            if (valve.present(i) && !barriers[i]) {
                return;
            }
        }
        java.util.Arrays.fill(barriers, false);
        sim.acknowledge(
                checkpoint,
                "consumer " + index,
                () -> checkpoint.results.put(index, new HashMap<>(results)));
    }

    private void onResult(int subtask, Item item) {
        check(valve.present(subtask), "result from closed subtask " + subtask);
        check(
                item.value > valve.clock() || item.excused,
                "I5: result ts " + item.value + " late downstream, clock " + valve.clock());
        // after a restore clocks start anew: what was late is not late any more
        boolean again = sim.restored && sim.idleRate > 0;
        check(
                !results.containsKey(item.window) || again,
                "I5: window " + item.window + " fires twice");
        results.merge(item.window, item.count, Integer::sum);
    }
}
