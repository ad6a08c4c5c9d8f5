package dev.drrs.protocol;

import static dev.drrs.protocol.Violation.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The host of a gate: a keyed counter per tumbling window, with the checks of what the gate does.
 */
final class SimSubtask implements GateEffects<Item> {

    /** What the host remembers of a subscale it is the new owner of. */
    private static final class Track {
        Incoming<Item> incoming;
        long promised = Long.MIN_VALUE;
        long target = Long.MIN_VALUE;
        boolean settled;
        boolean joinsLater;

        /** By a deliberate bug the coordinator takes it for settled. */
        boolean toldEarly;
    }

    final int index;
    final Simulation sim;
    final SubtaskGate<Item> gate;
    final ArrayDeque<Item>[] channels;
    final boolean[] barriers;
    final boolean[] held;

    /** Elements that still come from a channel after it was told to hold. */
    final int[] rest;

    final boolean[] owned;

    /** Key groups of which some bins are there and some are not: those that are. */
    private final Map<Integer, Set<Bin>> some = new HashMap<>();

    /** Per key group: window (as a number) to count. */
    final Map<Integer, TreeMap<Long, Integer>> state = new HashMap<>();

    /** Per channel what {@link EventClock#statuses} lacks of the predecessor's count. */
    final int[] statusBase;

    private final Map<Integer, Track> tracks = new HashMap<>();

    /** Confirms, by subscale and channel, that have been passed on too early. */
    private final Set<List<Integer>> passedOn = new HashSet<>();

    private final boolean[] ended;

    /** Channels of predecessors that had ended before. */
    private final boolean[] absent;

    private final boolean[] endOfData;

    /** Results in the operators behind the keyed one, which pass them on later. */
    private final ArrayDeque<Item> chain = new ArrayDeque<>();

    /** Timers by key group. They say only whether the clock has advanced since they were set. */
    private final Map<Integer, List<Simulation.Timer>> timers;

    /** The operator itself, which combines the event time of its inputs. */
    private final FlinkOperator operator;

    /**
     * Activated while the job runs: where its furthest consumer stood; no subscale has come yet.
     */
    private Long openedAt;

    final SimCopies copies;
    final SimPieces pieces;
    private final SimLazy lazy;

    /** Of the subscale that leaves next; null if nobody has asked for them. */
    private long[] sizes;

    private long emitted = Long.MIN_VALUE;

    /** Consumers hold for it from there on, and have not been told. */
    boolean unsaid;

    private boolean outIdle;
    private boolean everIdle;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    SimSubtask(int index, Simulation sim) {
        this.index = index;
        this.sim = sim;
        int n = sim.predecessorCount;
        channels = new ArrayDeque[n];
        for (int u = 0; u < n; u++) {
            channels[u] = new ArrayDeque<>();
        }
        barriers = new boolean[n];
        held = new boolean[n];
        rest = new int[n];
        ended = new boolean[n];
        absent = new boolean[n];
        endOfData = new boolean[n];
        timers = new HashMap<>();
        statusBase = new int[n];
        owned = new boolean[sim.groupCount];
        copies = new SimCopies(sim, this);
        pieces = new SimPieces(sim, this, sim.ofPieces);
        lazy = new SimLazy(sim, this);
        EventClock clock = sim.newClock();
        for (int u = 0; u < n; u++) {
            if (sim.predecessors != null && sim.predecessors[u].ended) {
                absent[u] = true;
                ended[u] = true;
                endOfData[u] = true;
                clock.remove(u);
            }
        }
        operator = new FlinkOperator(clock.inputs(), new Forwarded());
        gate = new SubtaskGate<>(index, clock, this, sim.joinRule());
        gate.configure(sim.policiesOfTasks());
    }

    /** It is activated while the job runs. */
    void awaitSubscale() {
        if (!sim.mutated(Mutation.TIME_BEFORE_REGISTRATION)) {
            gate.awaitSubscale();
        }
    }

    void activated(long lowest, long highest) {
        emitted = lowest;
        unsaid = lowest > Long.MIN_VALUE;
        openedAt = highest;
        gate.activated(lowest, highest);
    }

    void awaitNoSubscale() {
        if (gate.keepsTime() && !gate.busy()) {
            sim.saw("fresh subtask without a subscale");
        }
        openedAt = null;
        gate.awaitNoSubscale();
        after();
    }

    boolean ownsNothing() {
        for (boolean one : owned) {
            if (one) {
                return false;
            }
        }
        return true;
    }

    // ---- what comes in
    // ----------------------------------------------------------------------------

    boolean canTake(int u) {
        if (channels[u].isEmpty() || barriers[u] || !hasRoom()) {
            return false;
        }
        if (sim.mutated(Mutation.BLOCK_ALL)) {
            for (int v = 0; v < held.length; v++) {
                if (held[v] && rest[v] == 0) {
                    return false;
                }
            }
        }
        return !held[u] || rest[u] > 0;
    }

    void onChannel(int u) {
        if (held[u]) {
            rest[u]--;
        }
        Item item = channels[u].poll();
        if (pieces.overtakes(u, item)) {
            after();
            return;
        }
        switch (item.kind) {
            case RECORD -> {
                int g = sim.group(item.key);
                checkOvertakesNothing(u);
                if (gate.busy() || sim.random.nextBoolean()) {
                    gate.onRecord(u, g, item, 1);
                } else { // what a host may do while nothing is open
                    process(item, u, g, gate.main().clock(), -1);
                }
            }
            case WATERMARK -> gate.onWatermark(u, item.value);
            case STATUS -> gate.onStatus(u, item.value == 1);
            case OPEN -> {
                statusBase[u] = item.statuses - 1;
                gate.onWatermark(u, item.watermark);
                gate.onStatus(u, item.value == 1);
            }
            case CONFIRM -> onConfirm(u, item.subscale);
            case SWITCH -> gate.onSwitch(u, item.subscale);
            case BARRIER -> onBarrier(u, item);
            case END -> onEnd(u);
            case END_OF_DATA -> {
                endOfData[u] = true;
                if (!sim.mutated(Mutation.END_WITHOUT_CONFIRM)) {
                    gate.onEnd(u);
                }
                onEnd(u);
                if (barrier != null) {
                    snapshotIfAligned();
                }
            }
            default -> throw new Violation("unexpected " + item);
        }
        after();
    }

    /** What comes although it should wait was in the buffer at hand. */
    private void checkOvertakesNothing(int u) {
        if (!(sim.policies.waitRule() instanceof InOrder) || held[u]) {
            return;
        }
        for (Incoming<Item> in : gate.incoming().values()) {
            check(
                    in.recordsAside == 0 || !in.switched[u],
                    "order: a record on channel " + u + " overtakes one that waits");
        }
    }

    /** The confirm is a buffer of its own: if the channel is held from here on nothing follows. */
    private void onConfirm(int u, int subscale) {
        Outgoing out = gate.outgoing().get(subscale);
        gate.onConfirm(u, subscale);
        if (held[u]) {
            rest[u] = sim.mutated(Mutation.READ_BEHIND_CONFIRM) ? 1000 : 0;
        }
        if (!out.detached) {
            sim.saw("barrier waits for another channel");
            if (sim.mutated(Mutation.CONFIRM_BEFORE_DETACH)) {
                sim.peer(out.subscale).add(new PeerElement.Confirm<>(subscale, u));
                passedOn.add(List.of(subscale, u));
            }
        }
    }

    private Item barrier;

    private void onBarrier(int u, Item item) {
        barriers[u] = true;
        barrier = item;
        snapshotIfAligned();
    }

    private void snapshotIfAligned() {
        for (int u = 0; u < barriers.length; u++) {
            if (!barriers[u] && !endOfData[u]) {
                return;
            }
        }
        pieces.checkNothingWaits();
        Item item = barrier;
        barrier = null;
        Arrays.fill(barriers, false);
        Map<Integer, TreeMap<Long, Integer>> copy = new HashMap<>();
        for (int g = 0; g < owned.length; g++) {
            if (owned[g]) {
                copy.put(g, new TreeMap<>(state.getOrDefault(g, new TreeMap<>())));
            }
        }
        if (sim.mutated(Mutation.COPY_IN_CHECKPOINT)) {
            copy.putAll(copies.arrivedAhead());
        }
        flushChain();
        if (sim.consumers.length == 0) {
            item.checkpoint.results.put(index, new HashMap<>(sim.written.get(index)));
        }
        sim.acknowledge(
                item.checkpoint, "subtask " + index, () -> item.checkpoint.state.put(index, copy));
        for (SimConsumer consumer : sim.consumers) {
            if (sim.unaligned) {
                consumer.overtake(index, item.checkpoint);
            } else {
                consumer.queues[index].add(item);
            }
        }
    }

    private void onEnd(int u) {
        ended[u] = true;
        for (boolean one : ended) {
            if (!one) {
                return;
            }
        }
        check(ownsNothing() && !gate.busy(), "subtask " + index + " ends with work left");
        check(!gate.keepsTime(), "subtask " + index + " has kept event time back to its end");
        toConsumers(new Item(Item.Kind.END));
        if (sim.consumers.length == 0) {
            sim.tell("ended", () -> sim.ended(index));
        }
    }

    void onPeer(int from, PeerElement<Item> element) {
        gate.onPeer(element);
        if (element instanceof PeerElement.Cancelled<Item> cancelled) {
            copies.cancelled(from, cancelled.subscale());
        }
        if (element instanceof PeerElement.Detached<Item>
                && sim.mutated(Mutation.NO_CONFIRM_WAIT)) {
            for (int u = 0; u < held.length; u++) {
                gate.onPeer(new PeerElement.Confirm<>(element.subscale(), u));
            }
        }
        after();
    }

    void register(Subscale s) {
        Track track = new Track();
        tracks.put(s.id(), track);
        gate.register(s);
        gate.register(s); // a message that comes twice
        track.incoming = gate.incoming().get(s.id());
        if (sim.mutated(Mutation.NO_SWITCH)) {
            for (int u = 0; u < held.length; u++) {
                gate.onSwitch(u, s.id());
            }
        }
        after();
    }

    void aligned(int subscale, long clock) {
        gate.aligned(subscale, clock);
        after();
    }

    void track(Subscale s, long promised) {
        gate.track(s, sim.mutated(Mutation.DETACH_EARLY) ? Long.MIN_VALUE : promised);
        gate.track(s, promised);
        after();
    }

    void start(Subscale s) {
        Outgoing out = gate.outgoing().get(s.id());
        if (out == null || out.detached) {
            sim.saw("start after confirm");
        }
        check(
                out != null && !out.detached || !sim.mutated(Mutation.STALE_START),
                "a subscale is detached twice");
        gate.start(s.id());
        gate.start(s.id());
        after();
    }

    void installed(Subscale s, int g, Bin bin, TreeMap<Long, Integer> content) {
        Set<Bin> there = some.computeIfAbsent(g, x -> new HashSet<>());
        check(
                !owned[g] && there.add(bin),
                "I1: " + bin + " of key group " + g + " is installed twice at subtask " + index);
        if (there.size() == bin.of()) {
            owned[g] = true;
            some.remove(g);
        }
        if (sim.mutated(Mutation.BIN_IN_PLACE_OF_OTHERS)) {
            state.remove(g);
        }
        content.forEach(
                (window, count) ->
                        state.computeIfAbsent(g, x -> new TreeMap<>())
                                .merge(window, count, Integer::sum));
        installTimers(g, bin);
        if (!sim.mutated(Mutation.INSTALLED_TOO_SOON)) {
            if (sim.mutated(Mutation.FIRE_AT_INSTALL)) {
                fire(g, bin, tracks.get(s.id()).incoming.valve.clock(), tracks.get(s.id()));
            }
            gate.installed(s.id(), g, bin);
        }
        after();
    }

    private void installTimers(int g, Bin bin) {
        List<Simulation.Timer> left = sim.detachedTimers.get(g);
        for (Simulation.Timer timer : List.copyOf(left)) {
            if (sim.isIn(bin, timer.key()) || sim.mutated(Mutation.TIMERS_WITH_FIRST_BIN)) {
                check(
                        sim.isIn(bin, timer.key()),
                        "R5: a timer of key group " + g + " comes without its bin");
                timersOf(g).add(timer);
                left.remove(timer);
            }
        }
    }

    /** Whether the state of the key is here. */
    private boolean has(int g, int key) {
        return owned[g]
                || some.getOrDefault(g, Set.of()).stream().anyMatch(bin -> sim.isIn(bin, key));
    }

    /** After every call of the gate. */
    void after() {
        for (int u = 0; u < absent.length; u++) {
            if (absent[u] && gate.main().present(u)) {
                sim.saw("channel of an ended predecessor adopted");
                absent[u] = false;
                statusBase[u] = sim.predecessors[u].statuses - gate.main().statuses(u);
            }
        }
        check(
                operator.clock() == gate.main().clock()
                        && (gate.keepsTime() || operator.allIdle() == outIdle),
                "I5: operator and gate do not agree on event time");
        pieces.check();
        long waiting = 0;
        for (Track track : List.copyOf(tracks.values())) {
            Incoming<Item> in = track.incoming;
            if (in == null || !gate.incoming().containsKey(in.subscale.id())) {
                continue;
            }
            for (int u = 0; u < held.length; u++) {
                waiting +=
                        in.aside(u).stream()
                                .filter(one -> one.isRecord() || !sim.timeMayWait())
                                .count();
            }
            if (!in.fifo.isEmpty() && !in.fifoReleased()) {
                sim.saw("exchange blocked by a missing key group");
            }
            check(
                    !sim.onDemand() || !in.detached || in.atHand() < 0,
                    "on demand: a record waits for state that has not been asked for");
            if (sim.isLazy()) {
                lazy.checkAsked(in);
            }
            if (track.settled) { // it joins as soon as all channels have passed the highest clock
                if (gate.main().allIdle()) {
                    track.target = highestClock();
                }
                track.joinsLater = true;
                check(!allPassed(track.target), "a settled subscale does not join the main clock");
            }
        }
        long perInput = (1L + sim.buffer) * Math.max(1, gate.incoming().size());
        long bound = held.length * perInput + sim.setAsideRecords();
        check(waiting <= bound, "I4: " + waiting + " elements set aside, bound " + bound);
        if (gate.busy() && sim.isLazy() && !sim.mutated(Mutation.INSTALLED_TOO_SOON)) {
            checkGoesOn();
        }
        if (gate.busy()
                && (sim.mutated(Mutation.NO_EMIT_BOUND)
                        || sim.mutated(Mutation.NO_BOUND_FOR_MISSING))) {
            long mutated = gate.main().clock();
            for (Incoming<Item> in : gate.incoming().values()) {
                boolean use = sim.mutated(Mutation.NO_BOUND_FOR_MISSING);
                mutated =
                        use
                                ? Math.min(
                                        mutated,
                                        in.valve == null ? Long.MIN_VALUE : in.valve.clock())
                                : mutated;
            }
            if (mutated > emitted && !outIdle) {
                emitWatermark(mutated);
            }
        }
    }

    /** What is still at the old owner holds event time up by its timers only. */
    private void checkGoesOn() {
        long may = gate.main().clock();
        for (Incoming<Item> in : gate.incoming().values()) {
            may = Math.min(may, lazy.mayEmit(in));
        }
        check(outIdle || emitted >= may, "lazy: event time stands at " + emitted + ", not " + may);
    }

    private boolean allPassed(long target) {
        for (int u = 0; u < held.length; u++) {
            if (gate.main().idle(u) || gate.main().watermark(u) < target) {
                return false;
            }
        }
        return true;
    }

    private long highestClock() {
        long highest = highest(gate.main());
        for (Track track : tracks.values()) {
            if (track.settled && gate.incoming().containsKey(track.incoming.subscale.id())) {
                highest = Math.max(highest, highest(track.incoming.valve));
            }
        }
        return highest;
    }

    private static long highest(EventClock clock) {
        long highest = clock.clock();
        for (int input = 0; input < clock.inputs(); input++) {
            highest = Math.max(highest, clock.highest(input));
        }
        return highest;
    }

    // ---- effects
    // ----------------------------------------------------------------------------------

    @Override
    public void process(Item record, int u, int g, long given, int subscale) {
        check(
                has(g, record.key),
                "I1: subtask " + index + " processes key group " + g + " without owning it");
        if (!owned[g]) {
            sim.saw("processed before all of its key group was there");
        }
        check(
                record.predecessor == u && sim.group(record.key) == g,
                "I2: " + record + " comes as another one");
        check(
                record.sequence > sim.order[u][record.key],
                "I2: " + record + " from " + u + " out of order");
        sim.order[u][record.key] = record.sequence;
        boolean main = subscale < 0 || sim.mutated(Mutation.MAIN_CLOCK);
        Incoming<Item> in = main ? null : gate.incoming().get(subscale);
        EventClock valve = main ? gate.main() : in.valve;
        long clock = valve.clock();
        check(main || clock == given, "I5: a record is judged by another clock than its own");
        sim.timeOf(g, clock);
        int base = main ? statusBase[u] : sim.statusBases.get(subscale)[u];
        boolean same =
                valve.watermark(u) == record.watermark
                        && valve.statuses(u) + base == record.statuses;
        check(
                same && !valve.idle(u),
                "I5: " + record + " meets other watermarks or statuses than those before it");
        long window = Simulation.window(record);
        if (Simulation.timeOfWindow(window) <= clock) {
            check(
                    sim.predecessors[u].everIdle,
                    "I5: " + record + " late at subtask " + index + ", clock " + clock);
            window |= 1;
        }
        state.computeIfAbsent(g, x -> new TreeMap<>()).merge(window, 1, Integer::sum);
        copies.touched(g, window);
        if (sim.random.nextInt(3) == 0) {
            timersOf(g).add(new Simulation.Timer(record.timestamp, clock, record.key));
        }
        Item update = new Item(Item.Kind.UPDATE);
        update.key = record.key;
        update.number = ++sim.resultNumbers[record.key];
        chain.add(update);
    }

    private List<Simulation.Timer> timersOf(int g) {
        return timers.computeIfAbsent(g, x -> new ArrayList<>());
    }

    private void fire(int g, long clock, Track track) {
        fire(g, Bin.ALL, clock, track);
    }

    private void fire(int g, Bin bin, long clock, Track track) {
        sim.timeOf(g, clock);
        timersOf(g)
                .removeIf(
                        timer -> {
                            boolean due = timer.timestamp() <= clock && sim.isIn(bin, timer.key());
                            check(
                                    !due || clock > timer.clock(),
                                    "I5: a timer fires at the clock at which it was set");
                            return due;
                        });
        TreeMap<Long, Integer> windows = state.get(g);
        if (windows == null) {
            return;
        }
        List<Long> due = new ArrayList<>(2);
        for (long window : windows.keySet()) {
            if ((window & 1) == 0
                    && Simulation.timeOfWindow(window) <= clock
                    && sim.isIn(bin, Simulation.keyOfWindow(window))) {
                due.add(window);
            }
        }
        for (long window : due) {
            long ts = Simulation.timeOfWindow(window);
            check(!outIdle, "I5: subtask " + index + " is idle downstream and emits a result");
            long behind = track == null ? emitted : Math.max(emitted, track.promised);
            check(
                    ts > behind,
                    "I5: result ts "
                            + ts
                            + " behind the promise "
                            + behind
                            + " of subtask "
                            + index);
            Item result = new Item(Item.Kind.RESULT);
            result.value = ts;
            result.window = window;
            result.count = windows.remove(window);
            result.excused = track == null ? everIdle : track.incoming.wasIdle;
            result.key = Simulation.keyOfWindow(window);
            result.number = ++sim.resultNumbers[result.key];
            flushChain();
            deliver(result);
        }
    }

    boolean holdsResults() {
        return !chain.isEmpty();
    }

    /** Without room only what can make no results. */
    boolean mayTake(PeerElement<Item> element) {
        Incoming<Item> in = gate.incoming().get(element.subscale());
        return hasRoom() || in == null || !in.anyInstalled();
    }

    /** Without it nothing is processed; events and what the coordinator says need none. */
    boolean hasRoom() {
        for (SimConsumer consumer : sim.consumers) {
            if (!consumer.hasRoom(index)) {
                return false;
            }
        }
        return true;
    }

    void flushChain() {
        while (!chain.isEmpty()) {
            deliver(chain.poll());
        }
    }

    private void deliver(Item result) {
        if (sim.consumers.length == 0) {
            sim.write(index, result);
        } else {
            sim.consumers[result.key % sim.consumers.length].queues[index].add(result);
        }
    }

    private void fireOwn(long clock) {
        for (int g = 0; g < owned.length; g++) {
            if (owned[g] && !isIncoming(g)) {
                fire(g, clock, null);
            }
        }
    }

    private boolean isIncoming(int g) {
        return incomingOf(g) != null;
    }

    /** The open subscale that brings the key group here, or null. */
    Incoming<Item> incomingOf(int g) {
        for (Incoming<Item> in : gate.incoming().values()) {
            for (int other : in.subscale.keyGroups()) {
                if (other == g) {
                    return in;
                }
            }
        }
        return null;
    }

    @Override
    public void inputWatermark(int input, long clock, boolean forwards) {
        check(
                forwards != gate.keepsTime(),
                "the operator emits while a subscale is open, or does not");
        operator.watermark(input, clock);
    }

    @Override
    public void inputStatus(int input, boolean idle, boolean forwards) {
        check(
                forwards != gate.keepsTime(),
                "the operator emits while a subscale is open, or does not");
        operator.status(input, idle);
    }

    private final class Forwarded implements FlinkOperator.Output {
        @Override
        public void watermark(long clock) {
            fireOwn(clock);
            if (!gate.keepsTime()) {
                unsaid &= clock < emitted;
                emitted = Math.max(emitted, clock);
                toConsumers(Item.watermark(clock));
            }
        }

        @Override
        public void status(boolean idle) {
            if (!gate.keepsTime()) {
                emitStatus(idle);
            }
        }
    }

    @Override
    public void fire(int subscale, long given) {
        if (sim.mutated(Mutation.NO_TIMERS)) {
            return;
        }
        Track track = tracks.get(subscale);
        long clock = sim.mutated(Mutation.MAIN_CLOCK) ? gate.main().clock() : given;
        for (int g : track.incoming.subscale.keyGroups()) {
            if (owned[g] || some.containsKey(g)) {
                fire(g, clock, track);
            }
        }
    }

    @Override
    public void fireInstalled(int subscale, int keyGroup, Bin bin, long given) {
        if (sim.mutated(Mutation.NO_TIMERS)
                || sim.mutated(Mutation.NO_FIRE_AT_INSTALL)
                || sim.mutated(Mutation.NO_FIRE_AT_LATER_BINS) && bin.number() > 0) {
            return;
        }
        boolean main = sim.mutated(Mutation.MAIN_CLOCK);
        fire(
                keyGroup,
                sim.mutated(Mutation.FIRE_ALL_BINS) ? Bin.ALL : bin,
                main ? gate.main().clock() : given,
                tracks.get(subscale));
    }

    @Override
    public void emitWatermark(long timestamp) {
        boolean mutated =
                sim.mutated(Mutation.NO_EMIT_BOUND) || sim.mutated(Mutation.NO_BOUND_FOR_MISSING);
        if (mutated && timestamp <= emitted) {
            return; // it has emitted more than it should have already
        }
        check(
                !outIdle && (timestamp > emitted || unsaid && timestamp == emitted),
                "I5: watermark " + timestamp + " after " + emitted + ", idle " + outIdle);
        boolean stands = gate.incoming().values().stream().anyMatch(in -> !in.allInstalled());
        if (stands && sim.mutated(Mutation.EVENT_TIME_STANDS)) {
            return;
        }
        unsaid = false;
        emitted = timestamp;
        toConsumers(Item.watermark(timestamp));
    }

    @Override
    public void emitStatus(boolean idle) {
        check(outIdle != idle, "a status that is no change");
        outIdle = idle;
        everIdle |= idle;
        toConsumers(Item.status(idle));
    }

    @Override
    public void endResults(Subscale s) {
        ArrayDeque<Item> kept = sim.mutated(Mutation.NO_CHAIN_FLUSH) ? chain.clone() : null;
        if (kept != null) {
            chain.clear();
        }
        toConsumers(Item.of(Item.Kind.RESULTS_END, s.id()));
        flushChain(); // also where nobody is behind
        if (kept != null) {
            chain.addAll(kept);
        }
    }

    @Override
    public void beginResults(Subscale s) {
        if (!sim.mutated(Mutation.BEGIN_LATE)) {
            toConsumers(Item.of(Item.Kind.RESULTS_BEGIN, s.id()));
        }
    }

    @Override
    public long[] sizes(Subscale s) {
        sizes = sim.bins.sizes(s);
        return sizes;
    }

    @Override
    public void detach(Subscale s) {
        sim.bins.detached(gate.outgoing().get(s.id()), sizes);
        sizes = null;
        if (sim.policies.signals() instanceof AlignedSignals) {
            Outgoing out = gate.outgoing().get(s.id());
            for (int u = 0; u < held.length; u++) {
                check(
                        out.confirmed[u] || endOfData[u] || !gate.main().present(u),
                        "alignment: " + s + " leaves before its barrier has come on channel " + u);
            }
        }
        for (int g : s.keyGroups()) {
            check(
                    owned[g],
                    "I1: subtask "
                            + index
                            + " gives away key group "
                            + g
                            + ", which it does not own");
            owned[g] = false;
            TreeMap<Long, Integer> content = state.remove(g);
            SimCopies.Difference since =
                    copies.detach(g, content == null ? new TreeMap<>() : content);
            if (since != null) {
                sim.differences.put(g, since);
            }
            sim.detachedTimers.put(g, timersOf(g));
            timers.remove(g);
            sim.detached.put(g, content == null ? new TreeMap<>() : content);
        }
    }

    @Override
    public long[] firstTimers(Subscale s, int bins) {
        return SimLazy.firstTimers(sim, s, bins);
    }

    @Override
    public void tellAt(Subscale s, long timestamp) {
        lazy.tellAt(s, timestamp);
    }

    @Override
    public long copySize(Subscale s) {
        return copies.size(s);
    }

    @Override
    public void copyAhead(Subscale s) {
        copies.begin(s, state);
    }

    @Override
    public void stopCopying(Subscale s) {
        copies.stop(s);
    }

    @Override
    public void dropCopy(Subscale s) {
        copies.drop(s);
    }

    @Override
    public void sendPeer(Subscale s, PeerElement<Item> element) {
        boolean time = element instanceof PeerElement.Time<Item>;
        if (time && sim.mutated(Mutation.NO_FORWARD_TIME)
                || element instanceof PeerElement.Hold<Item> && sim.mutated(Mutation.UNION_UNTOLD)
                || element instanceof PeerElement.Confirm<Item> confirm
                        && (sim.mutated(Mutation.NO_CONFIRM_WAIT)
                                || passedOn.contains(List.of(s.id(), confirm.channel())))) {
            return;
        }
        check(
                !(element instanceof PeerElement.Rerouted<Item>)
                        || !(sim.policies.signals() instanceof AlignedSignals),
                "alignment: a record comes behind the barrier");
        if (element instanceof PeerElement.Rerouted<Item>
                && sim.mutated(Mutation.DROP_REROUTED)
                && !sim.dropped) {
            sim.dropped = true;
            return;
        }
        if (element instanceof PeerElement.Hold<Item>) {
            sim.saw("hold of the main clock passed on");
        }
        if (element instanceof PeerElement.ValveCopy<Item>) {
            sim.statusBases.put(s.id(), statusBase.clone());
            if (sim.mutated(Mutation.FRESH_VALVE)) {
                sim.peer(s).add(new PeerElement.ValveCopy<>(s.id(), freshValve().toLongs()));
                return;
            }
        }
        if (kept(s, element)) {
            return;
        }
        sim.peer(s).add(sim.bins.told(element));
        if (element instanceof PeerElement.Confirm<Item> || time) {
            sim.peer(s).addAll(overtaken);
            overtaken.clear();
        }
        checkPeer(s);
    }

    /** With a deliberate bug: records that what should wait for them goes before. */
    private boolean kept(Subscale s, PeerElement<Item> element) {
        boolean batched = sim.policies.signals().batch().isWanted();
        boolean record = element instanceof PeerElement.Rerouted<Item>;
        boolean confirms = element instanceof PeerElement.Confirm<Item>;
        boolean byTime = sim.mutated(Mutation.TIME_BEFORE_BATCH);
        if (byTime == confirms) { // not the one that goes before them
            sim.peer(s).addAll(overtaken);
            overtaken.clear();
        }
        boolean keeps = byTime || sim.mutated(Mutation.CONFIRM_BEFORE_BATCH);
        return batched && record && keeps && overtaken.add(element);
    }

    private final List<PeerElement<Item>> overtaken = new ArrayList<>();

    /** Beyond the capacity there is at most what each channel could not keep back. */
    private void checkPeer(Subscale s) {
        long forwarded = 0;
        Set<Integer> subscales = new HashSet<>();
        for (PeerElement<Item> element : sim.peer(s)) {
            forwarded +=
                    element instanceof PeerElement.Time || element instanceof PeerElement.Rerouted
                            ? 1
                            : 0;
            subscales.add(element.subscale());
        }
        long perInput = held.length * (1L + sim.buffer);
        long bound = sim.peerCapacity + (perInput + sim.rerouteBatch()) * subscales.size();
        check(forwarded <= bound, "I4: " + forwarded + " elements on an exchange, bound " + bound);
    }

    private EventClock freshValve() {
        EventClock fresh = sim.newClock();
        for (int u = 0; u < held.length; u++) {
            fresh.watermark(u, gate.main().watermark(u));
        }
        return fresh;
    }

    @Override
    public void rerouteLater(Subscale s, long millis) {
        sim.tell(
                "re-route time-out " + s.id() + " at " + index,
                () -> {
                    if (sim.subtasks[index] == this) { // else it has retired
                        timeout(s);
                    }
                });
    }

    private void timeout(Subscale s) {
        ArrayDeque<PeerElement<Item>> exchange = sim.peer(s);
        int before = exchange.size();
        gate.rerouteTimeout(s.id());
        if (exchange.size() == before) {
            return;
        }
        sim.saw("re-routed by time-out");
        if (sim.mutated(Mutation.BATCH_LOST)) {
            exchange.pollLast();
        }
        if (sim.mutated(Mutation.BATCH_REVERSED)) {
            List<PeerElement<Item>> sent = new ArrayList<>();
            while (exchange.size() > before) {
                sent.add(exchange.pollLast());
            }
            exchange.addAll(sent);
        }
        after();
    }

    @Override
    public boolean peerHasRoom(Subscale s) {
        return sim.peer(s).size() < sim.peerCapacity;
    }

    @Override
    public int hash(Item record, int channel) {
        boolean mistaken =
                sim.mutated(Mutation.BIN_OF_ANOTHER_KEY)
                        || sim.mutated(Mutation.WAITS_FOR_FIRST_BIN)
                                && !incomingOf(sim.group(record.key)).detached;
        return mistaken ? 0 : sim.hash(record.key);
    }

    @Override
    public int bin(int hash, int bins) {
        return hash % bins;
    }

    @Override
    public boolean takesMore() {
        return pieces.takesMore();
    }

    @Override
    public void pull(Subscale s, int keyGroup, Bin bin) {
        if (sim.mutated(Mutation.INSTALLED_TOO_SOON)) {
            sim.tell("installed too soon", () -> gate.installed(s.id(), keyGroup, bin));
        }
        sim.pulls.add(new Simulation.Pull(s, keyGroup, bin));
        int open = 0;
        for (Simulation.Pull pull : sim.pulls) {
            open += pull.subscale().equals(s) ? 1 : 0;
        }
        boolean counts = !sim.mutated(Mutation.INSTALLED_TOO_SOON);
        sim.bins.pulled(gate.incoming().get(s.id()), keyGroup, bin, isAtHand(s, keyGroup, bin));
        if (sim.isLazy() && sim.policies.pullOrder().leavesRest()) {
            Incoming<Item> in = gate.incoming().get(s.id());
            lazy.onPull(in, in.part(keyGroup, bin.number()));
        }
        if (open > sim.policies.pullOrder().windowForTheRest() && counts) {
            check(
                    sim.onDemand() && (sim.isLazy() || isAtHand(s, keyGroup, bin)),
                    "more pulls than the window");
            sim.saw("fetched on demand");
        }
    }

    /** Whether a record that may be next needs it. */
    private boolean isAtHand(Subscale s, int keyGroup, Bin bin) {
        Incoming<Item> in = gate.incoming().get(s.id());
        int part = in.part(keyGroup, bin.number());
        boolean needed = in.firstOfExchange() == part;
        for (int u = 0; u < held.length; u++) {
            needed |= in.firstOf(u) == part;
        }
        return needed;
    }

    @Override
    public boolean align(Subscale s) {
        if (sim.consumers.length == 0) {
            sim.saw("nobody to align");
            return false;
        }
        if (sim.mutated(Mutation.NO_REALIGN)) {
            sim.tell("not aligned", () -> aligned(s.id(), Long.MIN_VALUE));
        } else {
            sim.saw("align");
            toConsumers(Item.of(Item.Kind.ALIGN, s.id()));
        }
        return true;
    }

    @Override
    public void hold(int channel) {
        check(!held[channel], "a channel is held twice");
        sim.saw(
                gate.outgoing().isEmpty()
                        ? "hold for set-aside"
                        : "hold for exchange or set-aside");
        held[channel] = true;
        rest[channel] = sim.random.nextInt(sim.buffer + 1);
    }

    @Override
    public void resume(int channel) {
        check(held[channel], "a channel is resumed that is not held");
        sim.saw("resume");
        if (sim.mutated(Mutation.HELD_FOR_EVER)) {
            return;
        }
        held[channel] = false;
    }

    @Override
    public void joined(Subscale s) {
        Incoming<Item> in = tracks.get(s.id()).incoming;
        long main = gate.main().clock();
        if (tracks.get(s.id()).joinsLater) {
            sim.saw("join later than settled");
        }
        for (int u = 0; u < held.length; u++) {
            int input = gate.main().inputOf(u);
            long mainOfInput = gate.main().valve(input).clock();
            boolean passes =
                    in.valve.valve(input).clock() < mainOfInput
                            && in.valve.holds(u)
                            && in.valve.watermark(u) < mainOfInput;
            check(!passes, "I5: the clock of a key group passes a channel that holds it");
        }
        if (in.valve.clock() < main) { // only if a rule is broken
            for (int g : s.keyGroups()) {
                fire(g, main, null);
            }
        }
        for (int g : s.keyGroups()) {
            sim.timeOf(g, main);
        }
    }

    @Override
    public void report(GateReport report) {
        sim.log(() -> "subtask " + index + " reports " + report);
        if (report instanceof GateReport.Promised promised) {
            tracks.get(report.subscale()).promised = promised.promised();
            check(
                    openedAt == null || promised.promised() <= openedAt,
                    "R2: fresh subtask "
                            + index
                            + " has promised "
                            + promised.promised()
                            + " before its first subscale, consumers stood at "
                            + openedAt);
            openedAt = null;
        } else if (report instanceof GateReport.Cancelled) {
            sim.saw("cancelled");
        } else if (report instanceof GateReport.Installed) {
            sim.saw("installed before it settled");
            checkInstalled(tracks.get(report.subscale()).incoming.subscale);
        } else if (report instanceof GateReport.Settled settled) {
            if (tracks.get(report.subscale()).toldEarly) {
                return;
            }
            sim.saw(settled.counters().rerouted() > 0 ? "re-routed" : "nothing re-routed");
            sim.saw(settled.counters().setAside() > 0 ? "set aside" : "nothing set aside");
            onSettled(tracks.get(report.subscale()));
        }
        sim.report(report);
        if (report instanceof GateReport.Settled && sim.mutated(Mutation.MOVE_BEFORE_JOIN)) {
            sim.report(new GateReport.Joined(report.subscale()));
        }
    }

    /** Nobody looks whether something of it waits that is being let go. */
    void settleEarly(Incoming<Item> in) {
        Track track = tracks.get(in.subscale.id());
        for (int u = 0; u < held.length; u++) {
            if (gate.main().present(u) && !(in.confirmed[u] && in.switched[u])) {
                return;
            }
        }
        if (!track.toldEarly) {
            track.toldEarly = true;
            sim.report(new GateReport.Settled(in.subscale.id(), in.counters()));
        }
    }

    private void checkInstalled(Subscale s) {
        check(sim.policies.copyAhead().isWanted(), "nobody asks when " + s + " is installed");
        for (int g : s.keyGroups()) {
            check(
                    owned[g] || sim.mutated(Mutation.INSTALLED_TOO_SOON),
                    "key group " + g + " is not there yet");
        }
    }

    private void onSettled(Track track) {
        Incoming<Item> in = track.incoming;
        if (sim.mutated(Mutation.BEGIN_LATE)) {
            toConsumers(Item.of(Item.Kind.RESULTS_BEGIN, in.subscale.id()));
        }
        track.settled = true;
        track.target = highestClock();
        int[] base = sim.statusBases.get(in.subscale.id());
        for (int u = 0; u < held.length; u++) {
            if (absent[u]) {
                continue;
            }
            boolean same =
                    in.valve.watermark(u) == gate.main().watermark(u)
                            && in.valve.idle(u) == gate.main().idle(u)
                            && in.valve.statuses(u) + base[u]
                                    == gate.main().statuses(u) + statusBase[u];
            check(
                    same || sim.mutated(Mutation.NO_SWITCH),
                    "I5: main clock and settled subscale have seen different elements");
        }
    }

    private void toConsumers(Item item) {
        flushChain();
        for (SimConsumer consumer : sim.consumers) {
            consumer.queues[index].add(item);
        }
    }
}
