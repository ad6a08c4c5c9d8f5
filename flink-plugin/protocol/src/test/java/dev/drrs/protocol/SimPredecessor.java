package dev.drrs.protocol;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/** A source with a replayable position. A full channel stops it, also for the coordinator. */
final class SimPredecessor {

    final int index;
    final Simulation sim;

    /** Events to come; -1 when the last watermark has been sent. */
    int left;

    long now;

    /** The watermark its data keep to, across restarts, and the last one sent since the start. */
    long low;

    long watermark = Long.MIN_VALUE;
    boolean idle;
    boolean everIdle;

    /** It has come to its end and waits until it may say so. */
    boolean endWaits;

    boolean ended;
    int statuses;
    int[] routing;
    final TreeSet<Integer> openTo = new TreeSet<>();
    final Map<Long, Integer> expected = new HashMap<>();

    /** Subscales that the coordinator has told of, in that order. */
    final ArrayDeque<Integer> toReroute = new ArrayDeque<>();

    private final ArrayDeque<Integer> pendingTo = new ArrayDeque<>();
    private final ArrayDeque<Item> pending = new ArrayDeque<>();

    SimPredecessor(
            int index, Simulation sim, int left, long now, long low, Map<Long, Integer> expected) {
        this.index = index;
        this.sim = sim;
        this.left = left;
        this.now = now;
        this.low = low;
        this.expected.putAll(expected);
    }

    boolean waits() {
        return !pending.isEmpty();
    }

    boolean mayStep() {
        return waits() ? hasRoom(pendingTo.peek()) : !endWaits && !ended && (left >= 0 || idle);
    }

    /** Whether it has nothing more to send; it may go idle before. */
    boolean isAtEnd() {
        return !waits() && !endWaits && !ended && (left < 0 || left == 0 && idle);
    }

    /** Where a restore begins again. */
    Simulation.Source position() {
        return new Simulation.Source(Math.max(left, 0), now, low, new HashMap<>(expected));
    }

    void end() {
        left = -1;
        endWaits = false;
        ended = true;
        for (int i : openTo) {
            send(i, new Item(Item.Kind.END_OF_DATA));
        }
    }

    private boolean hasRoom(int subtask) {
        return sim.subtasks[subtask].channels[index].size() < sim.channelCapacity;
    }

    private void deliver() {
        sim.subtasks[pendingTo.poll()].channels[index].add(pending.poll());
    }

    void step() {
        if (waits()) {
            deliver();
            return;
        }
        if (idle) {
            idle = false;
            toAll(Item.status(false));
        } else if (left == 0) {
            left = -1;
            watermark = Long.MAX_VALUE;
            toAll(Item.watermark(Long.MAX_VALUE));
        } else if (sim.random.nextDouble() < sim.idleRate) {
            idle = true;
            everIdle = true;
            toAll(Item.status(true));
        } else {
            event();
        }
        while (waits() && hasRoom(pendingTo.peek())) {
            deliver();
        }
    }

    private void event() {
        left--;
        now += sim.random.nextInt(5);
        if (sim.random.nextDouble() < 0.3) {
            long next = now - 1 - sim.random.nextInt(6);
            if (next > low) {
                low = next;
                watermark = next;
                toAll(Item.watermark(next));
            }
            return;
        }
        long lowest = Math.max(0, low > Long.MIN_VALUE ? low + 1 : now - 5);
        if (lowest <= now) {
            Item record = new Item(Item.Kind.RECORD);
            record.predecessor = index;
            record.sequence = ++sim.sequence;
            record.key = sim.random.nextInt(Simulation.KEYS);
            record.timestamp = lowest + sim.random.nextInt((int) (now - lowest) + 1);
            record.watermark = watermark;
            record.statuses = statuses;
            expected.merge(Simulation.window(record), 1, Integer::sum);
            pendingTo.add(routing[sim.group(record.key)]);
            pending.add(record);
        }
    }

    private void toAll(Item item) {
        if (item.kind == Item.Kind.STATUS) {
            statuses++;
        }
        for (int i : openTo) {
            pendingTo.add(i);
            pending.add(item);
        }
    }

    /** Events need no buffer: what one action sends goes out at once. */
    void send(int subtask, Item item) {
        sim.subtasks[subtask].channels[index].add(item);
    }

    void open(int subtask) {
        openTo.add(subtask);
        Item item = new Item(Item.Kind.OPEN);
        item.watermark = watermark;
        item.value = idle ? 1 : 0;
        item.statuses = statuses;
        send(subtask, item);
    }

    boolean mayReroute(int subscale) {
        boolean any = !sim.signalsInOrder() || sim.mutated(Mutation.SIGNALS_IN_ANY_ORDER);
        return !waits() && (any || toReroute.peek() == subscale);
    }

    void reroute(Subscale s) {
        toReroute.remove((Integer) s.id());
        ArrayDeque<Item> channel = sim.subtasks[s.oldOwner()].channels[index];
        Item confirm = Item.of(Item.Kind.CONFIRM, s.id());
        if (sim.mutated(Mutation.CONFIRM_FIRST)
                && !channel.isEmpty()
                && channel.peekLast().kind == Item.Kind.RECORD) {
            Item last = channel.pollLast();
            channel.add(confirm);
            channel.add(last);
        } else {
            channel.add(confirm);
        }
        send(s.newOwner(), Item.of(Item.Kind.SWITCH, s.id()));
        for (int g : s.keyGroups()) {
            routing[g] = s.newOwner();
        }
    }
}
