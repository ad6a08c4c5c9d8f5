package dev.drrs.runtime.role;

import dev.drrs.protocol.Bin;
import dev.drrs.protocol.GateEffects;
import dev.drrs.protocol.GateReport;
import dev.drrs.protocol.KeyGroupLoad;
import dev.drrs.protocol.Migration;
import dev.drrs.protocol.MigrationEffects;
import dev.drrs.protocol.PeerElement;
import dev.drrs.protocol.Plan;
import dev.drrs.protocol.Policies;
import dev.drrs.protocol.SectionTurns;
import dev.drrs.protocol.Strategies;
import dev.drrs.protocol.Subscale;
import dev.drrs.protocol.SubtaskGate;
import dev.drrs.protocol.Valve;
import dev.drrs.runtime.message.WaitTimes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A rescale from two owners to four whose time is steps: in each a message arrives, an owner takes
 * one record, a predecessor sends one, and an old owner gives one key group away. Records wait at
 * the old owners from the beginning. So what is measured does not depend on the machine, and is
 * what a task would measure: the protocol and the measures are the real ones.
 */
final class PlayedRescale implements MigrationEffects {

    private static final int PREDECESSORS = 2;
    private static final int OLD_OWNERS = 2;
    private static final int OWNERS = 4;
    private static final int KEY_GROUPS = 64;
    private static final int SENDING_STEPS = 600;
    private static final int MOST_STEPS = 10_000;

    /** As a clock of nanoseconds has it, so that a step is shown as a millisecond. */
    private static final long STEP = 1_000_000;

    /** The signal is that of a subscale, the record of a key group: the other one is -1. */
    private record Item(int signal, int keyGroup) {}

    private final Owner[] owners = new Owner[OWNERS];
    private final int[] routing = placement(OLD_OWNERS);
    private final Migration migration;
    private List<Runnable> later = new ArrayList<>();
    private long step;
    private boolean finished;
    private int sent;
    private int processed;

    /**
     * @param backlog records that wait in each channel of an old owner
     */
    PlayedRescale(Map<String, String> options, int backlog) {
        Policies policies = Strategies.byName("drrs").orElseThrow().policies(options);
        for (int i = 0; i < OWNERS; i++) {
            owners[i] = new Owner(i, policies);
        }
        for (int i = 0; i < PREDECESSORS * OLD_OWNERS * backlog; i++) {
            send(i / OLD_OWNERS % PREDECESSORS, i % KEY_GROUPS);
        }
        long[] megabytes = new long[KEY_GROUPS];
        Arrays.fill(megabytes, 1 << 20);
        KeyGroupLoad load = new KeyGroupLoad(new long[KEY_GROUPS], new long[KEY_GROUPS], megabytes);
        List<Subscale> subscales = new ArrayList<>();
        for (Plan.Move move : policies.units().divide(routing, placement(OWNERS), load)) {
            subscales.add(new Subscale(subscales.size(), move.from(), move.to(), move.keyGroups()));
        }
        migration =
                new Migration(
                        routing,
                        subscales,
                        owner -> owner,
                        policies,
                        0,
                        0,
                        false,
                        () -> 0,
                        new SectionTurns(() -> {}, () -> {}),
                        this);
    }

    /** Neighbours have the same old owner, and one of two new ones. */
    private static int[] placement(int owners) {
        int[] placement = new int[KEY_GROUPS];
        Arrays.setAll(placement, keyGroup -> keyGroup % owners);
        return placement;
    }

    PlayedRescale run() {
        migration.begin();
        while (!finished || processed < sent) {
            if (++step > MOST_STEPS) {
                throw new IllegalStateException("it does not end: " + processed + " of " + sent);
            }
            List<Runnable> now = later;
            later = new ArrayList<>();
            now.forEach(Runnable::run);
            for (Owner owner : owners) {
                owner.work();
            }
            for (int p = 0; step < SENDING_STEPS && p < PREDECESSORS; p++) {
                send(p, (int) (step * 7 + p) % KEY_GROUPS);
            }
        }
        return this;
    }

    private void send(int predecessor, int keyGroup) {
        sent++;
        owners[routing[keyGroup]].channels.get(predecessor).add(new Item(-1, keyGroup));
    }

    /** Over all owners. */
    WaitTimes times(Function<SubscaleTimes, WaitTimes> which) {
        return Arrays.stream(owners)
                .map(owner -> which.apply(owner.times))
                .reduce(WaitTimes.NONE, WaitTimes::plus);
    }

    /** Steps in which a channel was not read, over all owners. */
    long suspension() {
        ToLongFunction<Owner> steps = owner -> owner.heldTime.millis();
        return Arrays.stream(owners).mapToLong(steps).sum();
    }

    private final class Owner implements GateEffects<Item> {

        private final SubtaskGate<Item> gate;
        private final SubscaleTimes times = new SubscaleTimes(() -> step * STEP);
        private final HeldTime heldTime = new HeldTime(() -> step * STEP);
        private final List<ArrayDeque<Item>> channels = new ArrayList<>();
        private final boolean[] held = new boolean[PREDECESSORS];
        private final ArrayDeque<Runnable> toWriteOut = new ArrayDeque<>();
        private int next;

        Owner(int index, Policies policies) {
            gate = new SubtaskGate<>(index, new Valve(PREDECESSORS), this);
            gate.configure(policies);
            for (int i = 0; i < PREDECESSORS; i++) {
                channels.add(new ArrayDeque<>());
            }
        }

        void work() {
            if (!toWriteOut.isEmpty()) {
                later.add(toWriteOut.poll());
            }
            for (int i = 0; i < PREDECESSORS; i++) {
                int channel = (next + i) % PREDECESSORS;
                if (takeRecord(channel)) {
                    next = channel + 1;
                    return;
                }
            }
        }

        /** With the signals before it. */
        private boolean takeRecord(int channel) {
            ArrayDeque<Item> items = channels.get(channel);
            while (!held[channel] && !items.isEmpty()) {
                Item item = items.poll();
                if (item.signal() < 0) {
                    gate.onRecord(channel, item.keyGroup(), item, 1);
                    return true;
                }
                signal(channel, item.signal());
            }
            return false;
        }

        private void signal(int channel, int subscale) {
            if (this == owners[0] || this == owners[1]) {
                times.confirmed(subscale);
                gate.onConfirm(channel, subscale);
            } else {
                gate.onSwitch(channel, subscale);
            }
        }

        @Override
        public void process(Item item, int channel, int keyGroup, long clock, int subscale) {
            processed++;
        }

        @Override
        public long[] sizes(Subscale subscale) {
            return new long[subscale.keyGroups().length];
        }

        @Override
        public void endResults(Subscale subscale) {
            times.leaves(subscale.id());
        }

        @Override
        public void sendPeer(Subscale subscale, PeerElement<Item> element) {
            later.add(() -> owners[subscale.newOwner()].onPeer(element));
        }

        private void onPeer(PeerElement<Item> element) {
            if (element instanceof PeerElement.Detached) {
                times.detached(element.subscale());
            }
            gate.onPeer(element);
        }

        @Override
        public void pull(Subscale subscale, int keyGroup, Bin bin) {
            later.add(
                    () ->
                            owners[subscale.oldOwner()].toWriteOut.add(
                                    () -> installed(subscale.id(), keyGroup, bin)));
        }

        private void installed(int subscale, int keyGroup, Bin bin) {
            times.installed(subscale);
            gate.installed(subscale, keyGroup, bin);
        }

        @Override
        public void hold(int channel) {
            held[channel] = true;
            heldTime.more();
        }

        @Override
        public void resume(int channel) {
            held[channel] = false;
            heldTime.less();
        }

        @Override
        public void report(GateReport report) {
            later.add(() -> migration.onReport(report));
        }

        @Override
        public boolean peerHasRoom(Subscale subscale) {
            return true;
        }

        @Override
        public boolean align(Subscale subscale) {
            return false;
        }

        // ---- no event time, timers, outputs, bins or copies here ----

        @Override
        public void inputWatermark(int input, long clock, boolean forwards) {}

        @Override
        public void inputStatus(int input, boolean idle, boolean forwards) {}

        @Override
        public void fire(int subscale, long clock) {}

        @Override
        public void fireInstalled(int subscale, int keyGroup, Bin bin, long clock) {}

        @Override
        public void emitWatermark(long timestamp) {}

        @Override
        public void emitStatus(boolean idle) {}

        @Override
        public void beginResults(Subscale subscale) {}

        @Override
        public void detach(Subscale subscale) {}

        @Override
        public long[] firstTimers(Subscale subscale, int bins) {
            return new long[0];
        }

        @Override
        public void tellAt(Subscale subscale, long timestamp) {}

        @Override
        public long copySize(Subscale subscale) {
            return 0;
        }

        @Override
        public void copyAhead(Subscale subscale) {}

        @Override
        public void stopCopying(Subscale subscale) {}

        @Override
        public void dropCopy(Subscale subscale) {}

        @Override
        public void rerouteLater(Subscale subscale, long millis) {}

        @Override
        public int hash(Item item, int channel) {
            return 0;
        }

        @Override
        public int bin(int hash, int bins) {
            return 0;
        }

        @Override
        public boolean takesMore() {
            return true;
        }

        @Override
        public void joined(Subscale subscale) {}
    }

    // ---- the coordinator's messages -------------------------------------------------------------

    @Override
    public void register(Subscale subscale) {
        later.add(() -> owners[subscale.newOwner()].gate.register(subscale));
    }

    @Override
    public void track(Subscale subscale, long promised) {
        later.add(() -> owners[subscale.oldOwner()].gate.track(subscale, promised));
    }

    @Override
    public void start(Subscale subscale) {
        later.add(
                () -> {
                    owners[subscale.oldOwner()].times.started(subscale.id());
                    owners[subscale.oldOwner()].gate.start(subscale.id());
                });
    }

    @Override
    public void reroute(Subscale subscale) {
        later.add(
                () -> {
                    Item signal = new Item(subscale.id(), -1);
                    for (int keyGroup : subscale.keyGroups()) {
                        routing[keyGroup] = subscale.newOwner();
                    }
                    for (int p = 0; p < PREDECESSORS; p++) {
                        owners[subscale.oldOwner()].channels.get(p).add(signal);
                        owners[subscale.newOwner()].channels.get(p).add(signal);
                    }
                });
    }

    @Override
    public void dropAtOldOwner(Subscale subscale) {
        later.add(() -> owners[subscale.oldOwner()].gate.settledAtNewOwner(subscale.id()));
    }

    @Override
    public void finished(boolean aborted) {
        finished = true;
    }

    @Override
    public void placementChanged(Subscale subscale) {}

    @Override
    public void aligned(Subscale subscale, long consumerClock) {
        throw new AssertionError("there is no consumer");
    }

    @Override
    public void untrack(Subscale subscale) {
        throw new AssertionError("nothing is given up");
    }

    @Override
    public void fetchRest(Subscale subscale) {
        throw new AssertionError("nothing is left");
    }

    @Override
    public void nextRound(long millis) {
        throw new AssertionError("there are no rounds");
    }
}
