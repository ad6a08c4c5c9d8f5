package dev.drrs.protocol;

import static dev.drrs.protocol.Violation.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * One schedule: sources feed keyed window counters, which feed consumers; subscales move key groups
 * between the counters, also to ones that are activated first and away from ones that retire, while
 * records, watermarks, statuses and barriers flow, tasks crash and rescales are aborted. A seeded
 * scheduler picks any step that is possible. Gates, valves, migrations and turns are the real ones.
 *
 * <p>Checked in every step: one owner (I1), order per predecessor and key (I2), bounds (I4), event
 * time (I5), checkpoints (I6); at the end: nothing is left (I4), every record counted once (I7).
 */
final class Simulation {

    static final int KEYS = 12;
    private static final int WINDOW = 10;
    private static final int MAX_STEPS = 20_000;
    private static final int TRACE = 60;

    /** Of situations that are faults: {@code !what!phase}. */
    static final String FAULT = "!";

    /** Of the rescales under way; {@code between}: no subscale has started that is not settled. */
    static final List<String> PHASES =
            List.of("none", "activating", "between", "moving", "aborting", "retiring");

    record Pull(Subscale subscale, int keyGroup, Bin bin) {}

    /**
     * @param clock event time of the key group when it was set
     */
    record Timer(long timestamp, long clock, int key) {}

    private record Message(String name, Runnable run, BooleanSupplier deliverable) {}

    /** What a restore begins with. */
    private record Snapshot(
            int id,
            int[] placement,
            Set<Integer> active,
            Map<Integer, int[]> underWay,
            Map<Integer, Source> sources,
            Map<Integer, TreeMap<Long, Integer>> state,
            Map<Integer, Map<Long, Integer>> results,
            Map<Integer, List<Item>> inFlight) {}

    record Source(int left, long now, long low, Map<Long, Integer> expected) {}

    static final class Checkpoint {
        int id;
        boolean byTurns = true;
        int[] placement;
        Set<Integer> active;
        Map<Integer, int[]> underWay;
        final Set<String> missing = new HashSet<>();
        final Map<Integer, Source> sources = new HashMap<>();
        final Map<Integer, Map<Integer, TreeMap<Long, Integer>>> state = new HashMap<>();
        final Map<Integer, Map<Long, Integer>> results = new HashMap<>();

        /** What an unaligned checkpoint overtook, by consumer and subtask. */
        final Map<Integer, List<Item>> inFlight = new HashMap<>();
    }

    final class Rescale implements MigrationEffects {
        final Map<Integer, Integer> from = new TreeMap<>();
        final Map<Integer, Integer> to = new TreeMap<>();
        final List<Subscale> subscales = new ArrayList<>();
        final Set<Integer> toActivate = new TreeSet<>();

        /** Subtasks that were dormant when it was asked for. */
        final Set<Integer> fresh = new TreeSet<>();

        final SimSlots slots = new SimSlots(Simulation.this);
        Sections sections;
        Migration migration;
        boolean begun;
        boolean finished;

        /** Subscales whose sections run; those whose new owner was told to fetch the rest. */
        private final Set<Integer> inSection = new TreeSet<>();

        private final Set<Integer> restWanted = new TreeSet<>();

        /** How many subscales of the plan have started, and how many were ready. */
        private int startedSubscales;

        private int readySubscales;

        /** Of a strategy with rounds: how many there have been, the first from the begin on. */
        private int rounds = 1;

        /** As {@link Simulation#actions} at the last one. */
        private int roundAt = -1;

        /** All inputs have ended and nobody listens any more. */
        boolean closed;

        /** Its folder in shared storage. */
        private int run;

        /** By old owner: what is to be dropped there with the next message to it. */
        private final Map<Integer, List<Runnable>> drops = new TreeMap<>();

        void hear(Consumer<Migration> message) {
            if (!closed) {
                message.accept(migration);
            }
        }

        int nextId() {
            saw(migration == null ? "move" : "move back");
            if (migration != null) {
                storage.back(run, nextSubscale);
            }
            rescales.put(nextSubscale, this);
            return nextSubscale++;
        }

        @Override
        public void register(Subscale s) {
            if (migration.progress().done() > 0) {
                saw("registered when another was done");
            }
            tellOwner(s.newOwner(), "register " + s, () -> subtasks[s.newOwner()].register(s));
        }

        @Override
        public void aligned(Subscale s, long consumerClock) {
            tellOwner(
                    s.newOwner(),
                    "aligned " + s.id(),
                    () -> subtasks[s.newOwner()].aligned(s.id(), consumerClock));
        }

        @Override
        public void track(Subscale s, long promised) {
            tellOwner(
                    s.oldOwner(),
                    "track " + s.id(),
                    () -> subtasks[s.oldOwner()].track(s, promised));
        }

        @Override
        public void untrack(Subscale s) {
            dropWhatWaits(s.oldOwner());
            tell(
                    "untrack " + s.id(),
                    () -> subtasks[s.oldOwner()].gate.untrack(s.id()),
                    () -> subtasks[s.oldOwner()].gate.outgoing().containsKey(s.id()));
        }

        @Override
        public void start(Subscale s) {
            checkTurn(s);
            slots.start(s);
            inSection.add(s.id());
            for (int g : s.keyGroups()) {
                started[g] = true;
            }
            tellOwner(
                    s.oldOwner(),
                    "start " + s.id(),
                    () -> {
                        SimSubtask old = subtasks[s.oldOwner()];
                        if (old != null) { // else the confirms have finished it and its old owner
                            // has retired
                            old.start(s);
                        }
                    });
        }

        /**
         * What strategies say of the order in which subscales start, those that move back aside.
         */
        private void checkTurn(Subscale s) {
            int at = subscales.indexOf(s);
            if (at < 0 || migration.isAborted()) {
                return;
            }
            if (policies.startRule() instanceof StepByStep) {
                check(migration.progress().open() == 1, "steps: " + s + " starts beside another");
                check(at == startedSubscales++, "steps: " + s + " is not the next one of the plan");
            } else if (policies.startRule() instanceof AllAtOnce) {
                check(readySubscales == subscales.size(), "at once: not all are ready");
            } else if (policies.startRule() instanceof OneARound) {
                check(++startedSubscales <= rounds, "rounds: " + s + " starts in none");
            } else if (policies.startRule() instanceof GradualSteps rule) {
                checkStep(at, rule.keyGroups());
            }
        }

        private void checkStep(int at, int keyGroups) {
            int step = stepOf(at, keyGroups);
            int before = 0;
            int upTo = 0;
            for (int i = 0; i < subscales.size(); i++) {
                before += stepOf(i, keyGroups) < step ? 1 : 0;
                upTo += stepOf(i, keyGroups) <= step ? 1 : 0;
            }
            if (upTo - before > 1) {
                saw("step with several subscales");
            }
            int settled = migration.progress().done();
            check(
                    settled >= before,
                    "steps: step " + step + " begins with " + settled + " of " + before + " done");
            check(
                    readySubscales == upTo,
                    "steps: step " + step + " begins with " + readySubscales + " of " + upTo);
        }

        /** In which step a subscale of the plan is. */
        private int stepOf(int at, int keyGroups) {
            int before = 0;
            for (Subscale s : subscales.subList(0, at)) {
                before += s.keyGroups().length;
            }
            return before / keyGroups;
        }

        @Override
        public void reroute(Subscale s) {
            for (SimPredecessor p : predecessors) {
                if (!p.ended) {
                    p.toReroute.add(s.id());
                    tell(
                            "reroute " + s.id() + " at " + p.index,
                            () -> p.reroute(s),
                            () -> p.mayReroute(s.id()));
                }
            }
        }

        @Override
        public void nextRound(long millis) {
            if (rounds > 1 && mutated(Mutation.ROUNDS_END)) {
                return;
            }
            tell(
                    "round",
                    () -> {
                        rounds++;
                        roundAt = --actions;
                        hear(Migration::onRound);
                    },
                    () -> actions > roundAt); // else it finds what the one before has found
        }

        @Override
        public void fetchRest(Subscale s) {
            restWanted.add(s.id());
            if (mutated(Mutation.REST_UNHEARD)) {
                return;
            }
            tellOwner(
                    s.newOwner(),
                    "fetch the rest of " + s.id(),
                    () -> {
                        SimSubtask owner = subtasks[s.newOwner()];
                        if (owner != null) { // else it has all of it and has retired
                            owner.gate.fetchRest(s.id());
                            owner.after();
                        }
                    });
        }

        @Override
        public void placementChanged(Subscale s) {
            inSection.remove(s.id());
            for (int g : s.keyGroups()) {
                placement[g] = s.newOwner();
                started[g] = false;
            }
        }

        /** It waits as long as it may. */
        @Override
        public void dropAtOldOwner(Subscale s) {
            SimSubtask old = subtasks[s.oldOwner()];
            toHear.add(s.oldOwner());
            drops.computeIfAbsent(s.oldOwner(), x -> new ArrayList<>())
                    .add(
                            () ->
                                    tell(
                                            "drop " + s.id(),
                                            () -> {
                                                toHear.remove((Integer) s.oldOwner());
                                                old.gate.settledAtNewOwner(s.id());
                                                old.after();
                                            }));
        }

        @Override
        public void turnOver(boolean all) {
            if (all) {
                List.copyOf(drops.keySet()).forEach(this::dropWhatWaits);
            } else if (!drops.isEmpty()) {
                saw("drop waits");
            }
        }

        private void tellOwner(int owner, String name, Runnable run) {
            dropWhatWaits(owner);
            tell(name, run);
        }

        private void dropWhatWaits(int owner) {
            List<Runnable> waiting = drops.remove(owner);
            if (waiting != null) {
                waiting.forEach(Runnable::run);
            }
        }

        @Override
        public void finished(boolean aborted) {
            if (inputEnds) {
                return; // it is over when all predecessors are let go
            }
            finished = true;
            if (stores()) {
                storage.end(run);
            }
            saw(aborted ? "aborted" : "completed");
            open.remove(this);
            endOwners(this);
            Migration.Progress progress = migration.progress();
            check(
                    progress.done() == progress.total() && progress.open() == 0,
                    "finished with " + progress);
            for (int g : from.keySet()) {
                boolean there = placement[g] == (aborted ? from : to).get(g);
                check(
                        there,
                        "I7: key group "
                                + g
                                + " on "
                                + placement[g]
                                + ", from "
                                + from.get(g)
                                + " to "
                                + to.get(g)
                                + ", aborted "
                                + aborted);
            }
        }
    }

    final Random random;
    private final Mutation mutation;
    private final ArrayDeque<String> trace;
    private final Set<String> seen = new TreeSet<>();
    private int steps;

    final int predecessorCount;
    final int groupCount;

    /** Each key group is a subscale of its own. */
    private final boolean many;

    final int ceiling;
    final Policies policies;
    final int buffer;
    final int peerCapacity;
    final int channelCapacity;
    final int outputCapacity;

    /** Barriers overtake what is on the way to consumers. */
    final boolean unaligned;

    final double idleRate;
    private final double rescaleRate;
    private final double stalledRate;
    private final double circles;
    private final double controlRate;
    private final double pullRate;
    private final double copyRate;
    private final double consumerRate;
    private final int maxPending;
    private final int consumerCount;

    /** Predecessors of the first input, or 0 if all feed one input. */
    private final int firstInput;

    private int rescalesLeft;
    private int checkpointsLeft;
    private int crashesLeft;
    private int abortsLeft;

    long sequence;
    boolean dropped;
    boolean restored;
    final long[][] order;

    /** Per key how many results were made. */
    final long[] resultNumbers = new long[KEYS];

    /**
     * Without consumers each subtask has a sink chained behind it, transactional per checkpoint.
     */
    final Map<Integer, Map<Long, Integer>> written = new HashMap<>();

    private final long[] lastWritten = new long[KEYS];
    private int nextSubscale;

    final SimSubtask[] subtasks;
    SimPredecessor[] predecessors;
    SimConsumer[] consumers;
    private int[] placement;
    private int[] intended;
    private boolean[] started;
    private long[] groupClock;
    private Set<Integer> active;
    private Set<Integer> retiring;
    private Map<Integer, List<Rescale>> activating;
    private Map<Integer, List<Long>> answers;
    private Map<Integer, Integer> endings;

    /**
     * Subtasks, once for each message of a rescale on its way without which they must not retire.
     */
    private List<Integer> toHear;

    private final Map<Integer, Rescale> rescales = new HashMap<>();
    private List<Rescale> open;
    final Map<Integer, int[]> statusBases = new HashMap<>();
    Map<Integer, TreeMap<Long, Integer>> detached;
    Map<Integer, List<Timer>> detachedTimers;
    Map<Integer, SimCopies.Difference> differences;

    /** By pair of owners: state on its way. */
    private Map<Integer, ArrayDeque<SimCopies.Bulk>> bulk;

    List<Pull> pulls;
    final SimBins bins;
    final Random ofPieces;

    /** The chance that one more element is let go in the same piece. */
    final double pieceRate;

    /** And that a piece comes, of all that may. */
    private final double piecesRate;

    private final SimStorage storage = new SimStorage(this);

    /** By subscale: {@link GateEffects#firstTimers}. */
    final Map<Integer, long[]> firstTimers = new HashMap<>();

    private Map<Integer, ArrayDeque<PeerElement<Item>>> peers;
    private Map<Integer, Subscale> peerSample;
    private List<Message> control;
    private SectionTurns turns;
    private boolean wanted;
    private List<Checkpoint> pending;
    private int checkpointIds;
    private int[] barriersAt;
    private Snapshot snapshot;
    private int stalled;
    private int quiet;

    /** The last predecessors may end as well, and have come to their end. */
    private final boolean allMayEnd;

    private boolean inputEnds;

    /** Steps that were taken, but for rounds. */
    private int actions;

    private int stepCount;
    private final List<IntConsumer> stepRun = new ArrayList<>();
    private final List<Integer> stepArgument = new ArrayList<>();

    Simulation(Strategy strategy, long seed, Mutation mutation, boolean traced) {
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.mutation = mutation;
        trace = traced ? new ArrayDeque<>() : null;
        String profile =
                pick(
                        "mixed", "mixed", "tight", "idle",
                        "chain"); // corners chance alone visits rarely
        boolean tight = profile.equals("tight");
        boolean idle = profile.equals("idle");
        boolean chain = profile.equals("chain");
        predecessorCount = tight ? between(2, 3) : idle ? 1 : chain ? 3 : between(1, 3);
        many = random.nextInt(4) == 0;
        groupCount = many ? between(5, KEYS) : between(2, 6);
        int first = tight ? between(2, 3) : between(1, 3);
        ceiling = tight ? first : Math.max(Math.max(between(2, 5), first), 2);
        int records = tight ? between(0, 1) : pick(0, 1, 3, 99);
        Map<String, Object> options = new HashMap<>();
        options.put(DrrsStrategy.SET_ASIDE_RECORDS, records);
        options.put(DrrsStrategy.SET_ASIDE_BYTES, random.nextInt(4) == 0 ? records : 1_000_000);
        options.put(DrrsStrategy.PULL_WINDOW, pick(1, 2, 4));
        buffer = pick(0, 0, 2);
        peerCapacity = pick(1, 2, 5, 99);
        channelCapacity = pick(2, 5, 99);
        outputCapacity = pick(1, 3, 99);
        idleRate =
                tight
                        ? 0
                        : idle
                                ? 0.15
                                : chain ? pick(0.05, 0.15, 0.3) : pick(0.0, 0.0, 0.05, 0.15, 0.3);
        consumerCount = pick(0, 1, 1, 2, 2);
        unaligned = consumerCount > 0 && random.nextInt(3) == 0;
        rescaleRate = idle ? 0.03 : chain ? 0.2 : pick(0.2, 0.03);
        boolean calm = idle || chain;
        rescalesLeft = between(1, 5);
        checkpointsLeft = between(0, 5);
        crashesLeft = calm ? 0 : unaligned ? between(1, 2) : pick(0, 0, 1, 2);
        abortsLeft = calm ? 0 : pick(0, 0, 1, 2);
        stalledRate = pick(0.08, 0.02);
        circles = tight ? 1 : chain ? 0.7 : 0.4;
        controlRate = chain ? 1 : pick(1.0, 1.0, 0.1);
        pullRate = pick(1.0, 0.3, 0.05);
        consumerRate = unaligned ? pick(0.3, 0.05) : pick(1.0, 1.0, 0.05);
        options.put(DrrsStrategy.SUBSCALE_CONCURRENCY, pick(1, 2, 99));
        options.put(DrrsStrategy.WARM_UP, pick(0, 1, 2));
        options.put(DrrsStrategy.COPY_AHEAD, random.nextInt(3) > 0);
        options.put(DrrsStrategy.COPY_AHEAD_WINDOW, pick(1, 3, 99));
        options.put(DrrsStrategy.DECOUPLING, random.nextInt(4) > 0);
        options.put(DrrsStrategy.RECORD_SCHEDULING, random.nextInt(4) > 0);
        options.put(DrrsStrategy.SUBSCALE_DIVISION, true); // it divides by itself
        options.put(DrrsStrategy.SUBSCALE_KEY_GROUPS, 1);
        options.put(MegaphoneStrategy.BATCH, 1);
        options.put(MecesStrategy.BATCH, many ? pick(1, 2, 3, 5) : pick(1, 2, 3));
        options.put(MecesStrategy.BINS, pick(1, 2, 3));
        options.put(DrrsStrategy.COPY_AHEAD_RATE, 0);
        options.put(SerialStrategy.PULL_WINDOW, pick(1, 2));
        options.put(ReferenceStrategy.ROUND, 1);
        options.put(ReferenceStrategy.SUBSCALE_CONCURRENCY, pick(1, 2, 99));
        options.put(ReferenceStrategy.SUBSCALE_KEY_GROUPS, 1); // it divides by itself
        options.put(ReferenceStrategy.PULL_WINDOW, pick(1, 2));
        options.put(ReferenceStrategy.SET_ASIDE_RECORDS, Math.max(1, records));
        options.put(ReferenceStrategy.REROUTE_BYTES, pick(0, 1, 2, 5, 1_000));
        options.put(ReferenceStrategy.REROUTE_TIMEOUT, 1);
        // not drawn: the schedules that show deliberate bugs stay the ones they are
        options.put(DrrsStrategy.NODE_CONCURRENCY, seed % 4 == 3 ? 1 + seed / 4 % 2 : 99);
        Random ofBins = new Random(~seed * 0x9E3779B97F4A7C15L);
        options.put(DrrsStrategy.BINS_SIZE, Math.max(0, ofBins.nextInt(4) - 1));
        options.put(DrrsStrategy.BINS_FROM, ofBins.nextInt(3));
        ofPieces = new Random(~seed ^ 0x9E3779B97F4A7C15L);
        pieceRate = ofPieces.nextInt(3) * 0.5;
        piecesRate = ofPieces.nextBoolean() ? 1 : 0.1;
        copyRate = pick(1.0, 0.3, 0.05);
        if (strategy instanceof LazyStrategy) {
            options.put(LazyStrategy.BACKGROUND, random.nextInt(3) == 0);
            options.put(LazyStrategy.BATCH, pick(1, 2, 99));
            options.put(LazyStrategy.BINS, pick(1, 2, 3));
            options.put(LazyStrategy.SET_ASIDE_RECORDS, records);
            options.put(LazyStrategy.SET_ASIDE_BYTES, pick(records, 1_000_000));
        } else if (strategy instanceof RemoteStrategy) {
            options.put(RemoteStrategy.KEY_GROUPS, 1); // it divides by itself
            options.put(RemoteStrategy.BATCH, pick(1, 2, 99));
            options.put(RemoteStrategy.BINS, pick(1, 2, 3));
            options.put(RemoteStrategy.SET_ASIDE_RECORDS, records);
            options.put(RemoteStrategy.SET_ASIDE_BYTES, pick(records, 1_000_000));
        }
        policies = policies(strategy, options);
        bins = new SimBins(this, ofBins);
        maxPending = unaligned ? 1 : between(1, 2);
        if (unaligned) {
            saw("unaligned checkpoints");
        }
        boolean twoInputs = predecessorCount > 1 && random.nextInt(3) == 0;
        firstInput = twoInputs ? between(1, predecessorCount - 1) : 0;
        if (twoInputs) {
            saw("two inputs");
        }
        allMayEnd = random.nextInt(3) == 0;
        order = new long[predecessorCount][KEYS];
        subtasks = new SimSubtask[ceiling];
        int[] start = new int[groupCount];
        Map<Integer, Map<Long, Integer>> results = new HashMap<>();
        Map<Integer, Source> sources = new HashMap<>();
        for (int g = 0; g < groupCount; g++) {
            start[g] = g % first;
        }
        Set<Integer> initially = new TreeSet<>();
        for (int i = 0; i < first; i++) {
            initially.add(i);
        }
        for (int u = 0; u < predecessorCount; u++) {
            sources.put(u, new Source(between(5, 40), between(0, 30), Long.MIN_VALUE, Map.of()));
        }
        for (int d = 0; d < Math.max(consumerCount, ceiling); d++) {
            results.put(d, Map.of());
        }
        restore(new Snapshot(0, start, initially, Map.of(), sources, Map.of(), results, Map.of()));
    }

    private static Policies policies(Strategy strategy, Map<String, Object> drawn) {
        Map<String, String> options = new HashMap<>();
        for (String name : strategy.optionNames()) {
            options.put(name, Objects.requireNonNull(drawn.get(name), name).toString());
        }
        return strategy.policies(options);
    }

    /** How many elements may be set aside; a strategy that waits otherwise needs a bound here. */
    long setAsideRecords() {
        if (policies.waitRule() instanceof Suspension suspension) {
            return suspension.records();
        }
        return policies.waitRule() instanceof SetAsideLimit limit ? limit.records() : 0;
    }

    /** How many elements that wait to be sent on may come to an exchange at a stretch. */
    long rerouteBatch() {
        return policies.signals().batch().bytes(); // a byte each, and one more
    }

    /** Whether watermarks and statuses may be set aside beyond the bound for records. */
    boolean timeMayWait() {
        return policies.waitRule().othersWait();
    }

    /** What the subtasks go by; those of another strategy if that is the bug. */
    Policies policiesOfTasks() {
        boolean direct = mutated(Mutation.LEAVES_AT_FIRST_CONFIRM);
        boolean overtakes = mutated(Mutation.OVERTAKES);
        boolean stands = !mutated(Mutation.NEVER_STANDS);
        return new Policies(
                policies.units(),
                policies.startRule(),
                direct ? new DirectSignals() : policies.signals(),
                SimPolicies.mutated(policies.pullOrder(), mutation),
                overtakes
                        ? new SetAsideLimit(0, 0)
                        : stands ? policies.waitRule() : new SetAsideLimit(99, 1_000_000),
                policies.copyAhead());
    }

    /** What the coordinator goes by. */
    private Policies policiesOfCoordinator(SimSlots slots) {
        StartRule rule = SimPolicies.mutated(policies.startRule(), mutation);
        return SimPolicies.with(policies, slots.counted(rule));
    }

    /** Whether state that a record needs is asked for whatever else is on its way. */
    boolean onDemand() {
        return policies.pullOrder() instanceof FetchOnDemand || isLazy();
    }

    boolean isLazy() {
        return policies.pullOrder() instanceof OnFirstAccess;
    }

    private boolean stores() {
        return policies.stores();
    }

    /** Some time at which a timer may be due. */
    long processingTime() {
        return between(1, 3);
    }

    /** Whether a subtask may wait for the signals of all predecessors. */
    boolean signalsInOrder() {
        return policies.signals() instanceof AlignedSignals || policies.waitRule().othersWait();
    }

    // ---- helpers
    // ----------------------------------------------------------------------------------

    @SafeVarargs
    private <T> T pick(T... of) {
        return of[random.nextInt(of.length)];
    }

    private int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    boolean mutated(Mutation which) {
        return mutation == which;
    }

    JoinRule joinRule() {
        if (mutation == Mutation.EARLY_JOIN || mutation == Mutation.JOIN_AHEAD) {
            return new JoinRule() {
                @Override
                boolean mayJoin(EventClock main, EventClock settled) {
                    return mutation == Mutation.EARLY_JOIN || main.clock() >= settled.clock();
                }
            };
        }
        if (mutation == Mutation.JOIN_BY_OPERATOR_CLOCK) {
            return new JoinRule() {
                @Override
                boolean mayJoin(EventClock main, EventClock settled) {
                    return settled.clock() == main.clock();
                }
            };
        }
        if (mutation == Mutation.NO_UNION) {
            return new JoinRule() {
                @Override
                void meet(EventClock main, List<EventClock> settled, IntConsumer mainHoldsAgain) {}
            };
        }
        return new JoinRule();
    }

    EventClock newClock() {
        return firstInput == 0
                ? new Valve(predecessorCount)
                : new CombinedValve(firstInput, predecessorCount - firstInput);
    }

    int group(int key) {
        return key % groupCount;
    }

    /** Key and end of a record's window as one number; the lowest bit is for late records. */
    static long window(Item record) {
        long end = (record.timestamp / WINDOW + 1) * WINDOW;
        return (end * KEYS + record.key) << 1;
    }

    static long timeOfWindow(long window) {
        return (window >> 1) / KEYS - 1;
    }

    static int keyOfWindow(long window) {
        return (int) ((window >> 1) % KEYS);
    }

    void timeOf(int g, long clock) {
        check(
                clock >= groupClock[g],
                "I5: event time of key group "
                        + g
                        + " goes back from "
                        + groupClock[g]
                        + " to "
                        + clock);
        groupClock[g] = clock;
    }

    void log(Supplier<String> what) {
        if (trace != null) {
            if (trace.size() == TRACE) {
                trace.poll();
            }
            trace.add(steps + ": " + what.get());
        }
    }

    /** Notes that a situation has come up. */
    void saw(String situation) {
        seen.add(situation);
    }

    Set<String> seen() {
        return seen;
    }

    List<String> trace() {
        return List.copyOf(trace);
    }

    void tell(String name, Runnable run) {
        tell(name, run, null);
    }

    private void tell(String name, Runnable run, BooleanSupplier deliverable) {
        control.add(new Message(name, run, deliverable));
    }

    ArrayDeque<PeerElement<Item>> peer(Subscale s) {
        int pair = s.oldOwner() * ceiling + s.newOwner();
        peerSample.put(pair, s);
        return peers.computeIfAbsent(pair, x -> new ArrayDeque<>());
    }

    ArrayDeque<SimCopies.Bulk> bulk(Subscale s) {
        return bulk.computeIfAbsent(s.oldOwner() * ceiling + s.newOwner(), x -> new ArrayDeque<>());
    }

    boolean isAborted(int subscale) {
        return rescaleOf(subscale).migration.isAborted();
    }

    Rescale rescaleOf(int subscale) {
        return rescales.get(subscale);
    }

    void report(GateReport report) {
        tell("report " + report, () -> heard(report));
    }

    private void heard(GateReport report) {
        Rescale r = rescaleOf(report.subscale());
        r.readySubscales += report instanceof GateReport.Ready ? 1 : 0;
        r.slots.reported(report);
        r.hear(m -> m.onReport(report));
        if (report instanceof GateReport.Installed
                && r.slots.isInstalled(report.subscale())
                && r.sections instanceof SimEarlySections early) {
            early.installed();
        }
    }

    // ---- start, checkpoint, crash
    // -----------------------------------------------------------------

    private void restore(Snapshot from) {
        snapshot = from;
        placement = from.placement.clone();
        active = new TreeSet<>(from.active);
        retiring = new HashSet<>();
        activating = new HashMap<>();
        answers = new HashMap<>();
        endings = new HashMap<>();
        inputEnds = false;
        toHear = new ArrayList<>();
        open = new ArrayList<>();
        detached = new HashMap<>();
        detachedTimers = new HashMap<>();
        differences = new HashMap<>();
        bulk = new TreeMap<>();
        Arrays.fill(lastWritten, 0);
        pulls = new ArrayList<>();
        peers = new TreeMap<>();
        peerSample = new HashMap<>();
        control = new ArrayList<>();
        started = new boolean[groupCount];
        groupClock = new long[groupCount];
        Arrays.fill(groupClock, Long.MIN_VALUE);
        wanted = false;
        pending = new ArrayList<>();
        barriersAt = new int[predecessorCount];
        Arrays.fill(barriersAt, checkpointIds);
        turns = new SectionTurns(this::trigger, this::sectionsAwaited);
        if (restored && stores()) {
            storage.crashed(random.nextBoolean(), nextSubscale);
        }
        Arrays.fill(subtasks, null);
        predecessors = null;
        for (int i : active) {
            subtasks[i] = new SimSubtask(i, this);
        }
        for (int g = 0; g < groupCount; g++) {
            subtasks[placement[g]].owned[g] = true;
            if (from.state.containsKey(g)) {
                subtasks[placement[g]].state.put(g, new TreeMap<>(from.state.get(g)));
            }
        }
        predecessors = new SimPredecessor[predecessorCount];
        for (int u = 0; u < predecessorCount; u++) {
            Source source = from.sources.get(u);
            predecessors[u] =
                    new SimPredecessor(
                            u, this, source.left, source.now, source.low, source.expected);
            predecessors[u].openTo.addAll(active);
            predecessors[u].routing = placement.clone();
        }
        consumers = new SimConsumer[consumerCount];
        for (int d = 0; d < consumerCount; d++) {
            consumers[d] = new SimConsumer(d, this, active, from.results.get(d));
        }
        from.inFlight.forEach(
                (channel, items) ->
                        consumers[channel / ceiling].queues[channel % ceiling].addAll(items));
        for (int i = 0; i < ceiling; i++) {
            written.put(i, consumerCount > 0 ? Map.of() : new HashMap<>(from.results.get(i)));
        }
        List<Integer> candidates = new ArrayList<>(active);
        candidates.add(-1);
        stalled = candidates.get(random.nextInt(candidates.size()));
        int choice =
                random.nextInt(2); // roll back or resume what the checkpoint knows to be under way
        intended = placement.clone();
        Map<Integer, Integer> moves = new TreeMap<>();
        from.underWay.forEach((g, fromTo) -> intended[g] = fromTo[choice]);
        for (int g = 0; g < groupCount; g++) {
            if (intended[g] != placement[g]) {
                moves.put(g, intended[g]);
            }
        }
        move(moves);
    }

    private void wantCheckpoint() {
        checkpointsLeft--;
        if (mutated(Mutation.CHECKPOINT_IN_SUBSCALE)) {
            trigger(false);
        } else if (turns.mayStartCheckpoint() && random.nextBoolean()) {
            trigger();
        } else {
            wanted = true;
            turns.checkpointWanted();
        }
    }

    private void sectionsAwaited() {
        if (!mutated(Mutation.SECTIONS_AWAITED_UNHEARD)) {
            open.forEach(r -> r.hear(Migration::fetchRest));
        }
    }

    /** A checkpoint that waits for sections does not wait for what nobody needs. */
    private void checkAwaited() {
        if (wanted && policies.pullOrder().leavesRest()) {
            for (Rescale r : open) {
                check(
                        r.restWanted.containsAll(r.inSection),
                        "lazy: a checkpoint waits for subscales that nobody ends");
            }
        }
    }

    private void trigger() {
        trigger(true);
    }

    private void trigger(boolean byTurns) {
        Checkpoint c = new Checkpoint();
        c.id = ++checkpointIds;
        c.byTurns = byTurns;
        c.placement = placement.clone();
        c.active = new TreeSet<>(active);
        c.underWay = new HashMap<>();
        for (Rescale r : open) {
            r.from.forEach((g, from) -> c.underWay.put(g, new int[] {from, r.to.get(g)}));
        }
        log(() -> "checkpoint " + c.id);
        saw(
                pending.isEmpty()
                        ? open.isEmpty() ? "checkpoint" : "checkpoint in a rescale"
                        : "overlapping checkpoints");
        wanted = false;
        pending.add(c);
        if (byTurns) {
            turns.checkpointStarted();
        }
        if (consumerCount == 0) { // those of subtasks that take part follow
            written.forEach((i, results) -> c.results.put(i, new HashMap<>(results)));
        }
        for (SimPredecessor p : predecessors) {
            if (p.ended) {
                c.sources.put(p.index, p.position());
                continue;
            }
            c.missing.add("source " + p.index);
            tell(
                    "barrier " + c.id + " at " + p.index,
                    () -> barrier(c, p),
                    () -> !p.waits() && barriersAt[p.index] == c.id - 1);
        }
        active.forEach(i -> c.missing.add("subtask " + i));
        for (SimConsumer consumer : consumers) {
            c.missing.add("consumer " + consumer.index);
        }
    }

    private void barrier(Checkpoint c, SimPredecessor p) {
        barriersAt[p.index] = c.id;
        acknowledge(c, "source " + p.index, () -> c.sources.put(p.index, p.position()));
        for (int i : p.openTo) {
            p.send(i, Item.barrier(c));
        }
    }

    void acknowledge(Checkpoint c, String who, Runnable store) {
        check(pending.contains(c), "acknowledgement of an unknown checkpoint");
        check(c.missing.remove(who), "I6: unexpected part " + who + " of a checkpoint");
        store.run();
        if (!c.missing.isEmpty()) {
            return;
        }
        if (mutated(Mutation.PLACEMENT_LATE)) {
            c.underWay.forEach((g, fromTo) -> c.placement[g] = fromTo[1]);
        }
        Map<Integer, TreeMap<Long, Integer>> state = new HashMap<>();
        c.state.forEach(
                (i, part) ->
                        part.forEach(
                                (g, content) -> {
                                    check(
                                            state.put(g, content) == null,
                                            "I6: key group " + g + " twice in a checkpoint");
                                    check(
                                            c.placement[g] == i,
                                            "I6: placement and state of a checkpoint differ");
                                }));
        check(
                state.size() == groupCount,
                "I6: " + state.size() + " key groups of " + groupCount + " in a checkpoint");
        snapshot =
                new Snapshot(
                        c.id,
                        c.placement,
                        c.active,
                        c.underWay,
                        c.sources,
                        state,
                        c.results,
                        c.inFlight);
        pending.remove(c);
        if (c.byTurns) {
            turns.checkpointEnded();
        }
    }

    /** Whether something goes wrong that ends all tasks, which has its chance. */
    boolean mayCrash(double rate) {
        return crashesLeft > 0 && random.nextDouble() < rate;
    }

    void crash() {
        log(() -> "crash");
        saw(open.isEmpty() ? "crash" : "crash in a rescale");
        saw(FAULT + "crash" + FAULT + phase());
        crashesLeft--;
        restored = true;
        restore(snapshot);
    }

    // ---- rescales
    // ---------------------------------------------------------------------------------

    private void beginRescale() {
        rescalesLeft--;
        List<Integer> free = new ArrayList<>();
        for (int g = 0; g < groupCount; g++) {
            int group = g;
            if (open.stream().noneMatch(r -> r.from.containsKey(group))) {
                free.add(g);
            }
        }
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < ceiling; i++) {
            all.add(i);
        }
        Collections.shuffle(all, random);
        List<Integer> targets = all.subList(0, between(1, 2));
        Map<Integer, Integer> following = new HashMap<>();
        if (random.nextDouble() < 0.3 && active.size() > 1) { // empty one subtask
            int victim = new ArrayList<>(active).get(random.nextInt(active.size()));
            targets = new ArrayList<>(active);
            targets.remove((Integer) victim);
            free.removeIf(g -> placement[g] != victim);
        } else if (random.nextDouble() < circles) { // two or three subtasks in a circle
            int size = Math.min(ceiling, between(2, 3));
            for (int i = 0; i < size; i++) {
                following.put(all.get(i), all.get((i + 1) % size));
            }
            free.removeIf(g -> !following.containsKey(placement[g]));
        }
        Map<Integer, Integer> moves = new TreeMap<>();
        for (int g : free) {
            int to =
                    following.isEmpty()
                            ? targets.get(random.nextInt(targets.size()))
                            : following.get(placement[g]);
            if (random.nextDouble() < 0.7 && to != placement[g] && !retiring.contains(to)) {
                moves.put(g, to);
                intended[g] = to;
            }
        }
        move(moves);
    }

    private void move(Map<Integer, Integer> moves) {
        if (moves.isEmpty()) {
            return;
        }
        Rescale r = new Rescale();
        moves.forEach(
                (g, to) -> {
                    r.from.put(g, placement[g]);
                    r.to.put(g, to);
                });
        for (Plan.Move move : divide(moves)) {
            r.subscales.add(new Subscale(r.nextId(), move.from(), move.to(), move.keyGroups()));
        }
        r.run = storage.begin(r.subscales);
        r.sections =
                mutated(Mutation.START_IN_CHECKPOINT)
                        ? new SectionTurns(() -> {}, () -> {})
                        : mutated(Mutation.SECTION_ENDS_AT_INSTALLED)
                                ? new SimEarlySections(turns)
                                : turns;
        r.migration =
                new Migration(
                        placement,
                        r.subscales,
                        SimSlots::nodeOf,
                        policiesOfCoordinator(r.slots),
                        consumerCount,
                        consumerCount,
                        unaligned && !mutated(Mutation.SETTLED_IS_ENOUGH),
                        r::nextId,
                        r.sections,
                        r);
        open.add(r);
        for (int to : new TreeSet<>(r.to.values())) {
            if (!active.contains(to)) {
                r.toActivate.add(to);
                r.fresh.add(to);
                List<Rescale> waiting = activating.get(to);
                if (waiting == null) {
                    waiting = new ArrayList<>();
                    activating.put(to, waiting);
                    turns.requestSection(() -> activate(to));
                }
                waiting.add(r);
            }
        }
        beginIfActive(r);
    }

    /** As the strategy does that steps are counted of, else in pieces that chance makes. */
    private List<Plan.Move> divide(Map<Integer, Integer> moves) {
        if (policies.units() instanceof GradualSteps steps) {
            int[] target = placement.clone();
            moves.forEach((g, to) -> target[g] = to);
            return steps.divide(placement, target, KeyGroupLoad.unknown(groupCount));
        }
        Map<Integer, List<Integer>> pairs = new TreeMap<>();
        moves.forEach(
                (g, to) ->
                        pairs.computeIfAbsent(placement[g] * ceiling + to, x -> new ArrayList<>())
                                .add(g));
        List<Plan.Move> pieces = new ArrayList<>();
        pairs.forEach(
                (pair, groups) -> {
                    for (int from = 0; from < groups.size(); ) {
                        int to = many ? from + 1 : between(from + 1, groups.size());
                        int[] some = groups.subList(from, to).stream().mapToInt(x -> x).toArray();
                        pieces.add(new Plan.Move(pair / ceiling, pair % ceiling, some));
                        from = to;
                    }
                });
        return pieces;
    }

    private void beginIfActive(Rescale r) {
        if (r.toActivate.isEmpty() && !inputEnds) {
            r.begun = true;
            if (anyEndWaits()) {
                r.migration.pause();
            }
            r.migration.begin();
        }
    }

    private void activate(int i) {
        subtasks[i] = new SimSubtask(i, this);
        subtasks[i].awaitSubscale();
        answers.put(i, new ArrayList<>());
        for (SimConsumer d : consumers) {
            tell(
                    "open " + i + " at consumer " + d.index,
                    () -> {
                        answers.get(i).add(d.open(i));
                        if (answers.get(i).size() == consumerCount) {
                            openPredecessors(i);
                        }
                    });
        }
        if (consumerCount == 0) {
            openPredecessors(i);
        }
    }

    private void openPredecessors(int i) {
        List<Long> clocks = answers.get(i);
        subtasks[i].activated(
                clocks.isEmpty() ? Long.MIN_VALUE : Collections.min(clocks),
                clocks.isEmpty() ? Long.MIN_VALUE : Collections.max(clocks));
        clocks.clear();
        for (SimPredecessor p : running()) {
            tell("open " + i + " at " + p.index, () -> openPredecessor(i, p), () -> !p.waits());
        }
    }

    /** Predecessors that have not ended; there is always one. */
    private List<SimPredecessor> running() {
        return Arrays.stream(predecessors).filter(p -> !p.ended).toList();
    }

    private boolean anyEndWaits() {
        return Arrays.stream(predecessors).anyMatch(p -> p.endWaits);
    }

    /** Without consumers: what the chained sink of a subtask writes. */
    void write(int subtask, Item result) {
        check(
                result.number > lastWritten[result.key],
                "I9: subtask "
                        + subtask
                        + " writes "
                        + result
                        + " after number "
                        + lastWritten[result.key]);
        lastWritten[result.key] = result.number;
        if (result.kind == Item.Kind.RESULT) {
            Map<Long, Integer> results = written.get(subtask);
            boolean again = restored && idleRate > 0;
            check(
                    written.values().stream().noneMatch(m -> m.containsKey(result.window)) || again,
                    "I5: window " + result.window + " fires twice");
            results.merge(result.window, result.count, Integer::sum);
        }
    }

    // ---- predecessors that end
    // ---------------------------------------------------------------------

    private boolean mayEnd(SimPredecessor p) {
        boolean last = running().stream().allMatch(other -> other == p || other.endWaits);
        return p.isAtEnd() && !inputEnds && (allMayEnd || !last);
    }

    /** It waits until no subscale is under way that it takes part in. */
    private void wantEnd(int u) {
        predecessors[u].endWaits = true;
        log(() -> "end of " + u + " waits");
        if (running().stream().allMatch(p -> p.endWaits)) {
            inputEnds = true;
            rescalesLeft = 0;
            abortsLeft = 0;
            open.stream().filter(r -> r.begun).forEach(r -> r.migration.stop());
        } else {
            open.stream().filter(r -> r.begun).forEach(r -> r.migration.pause());
        }
    }

    private boolean isQuiet(Rescale r) {
        return !r.begun
                || (inputEnds && !mutated(Mutation.OVER_BEFORE_PASSED)
                        ? r.migration.isStill()
                        : r.migration.isQuiet());
    }

    private boolean mayReleaseEnds() {
        return anyEndWaits()
                && (mutated(Mutation.END_IN_SUBSCALE)
                        || activating.isEmpty()
                                && endings.isEmpty()
                                && open.stream().allMatch(this::isQuiet))
                && Arrays.stream(predecessors)
                        .allMatch(p -> !p.endWaits || barriersAt[p.index] == checkpointIds);
    }

    private void releaseEnds() {
        if (inputEnds) {
            closeRescales();
            return;
        }
        saw(open.isEmpty() ? "end of a predecessor" : "end of a predecessor in a rescale");
        for (SimPredecessor p : predecessors) {
            if (p.endWaits) {
                log(() -> "end of " + p.index);
                p.end();
            }
        }
        List.copyOf(open).stream().filter(r -> r.begun).forEach(r -> r.migration.resume());
    }

    /**
     * The job is about to finish: no rescale is left that would hear of anything. What follows, the
     * end of all tasks, is not modelled; predecessors say the end of event time.
     */
    private void closeRescales() {
        saw(
                open.stream().anyMatch(r -> r.begun)
                        ? "all inputs end in a rescale"
                        : "all inputs end");
        for (Rescale r : open) {
            endOwners(r);
            r.closed = true;
            r.from.keySet().forEach(g -> intended[g] = placement[g]);
        }
        open.clear();
        crashesLeft = 0;
        for (SimPredecessor p : predecessors) {
            p.endWaits = false;
        }
    }

    /** No subscale follows; whether a fresh subtask has had one is not asked. */
    private void endOwners(Rescale r) {
        for (int i : r.fresh) {
            SimSubtask fresh = subtasks[i];
            if (fresh == null || mutated(Mutation.TIME_KEPT_FOR_EVER)) {
                continue; // the former: it is still to be activated, only if a rule is broken
            }
            toHear.add(i);
            tell(
                    "no subscale follows at " + i,
                    () -> {
                        toHear.remove((Integer) i);
                        fresh.awaitNoSubscale();
                    });
        }
    }

    private void openPredecessor(int i, SimPredecessor p) {
        p.open(i);
        answers.get(i).add(0L);
        if (answers.get(i).size() == running().size()) {
            active.add(i);
            for (Rescale r : activating.remove(i)) {
                r.toActivate.remove(i);
                beginIfActive(r);
            }
            turns.sectionDone();
        }
    }

    private void abort() {
        abortsLeft--;
        List<Rescale> some =
                open.stream().filter(r -> r.begun && !r.migration.isAborted()).toList();
        Rescale r = some.get(random.nextInt(some.size()));
        log(() -> "abort " + r.subscales);
        saw(FAULT + "abort" + FAULT + phase());
        r.from.forEach(
                (g, from) -> {
                    intended[g] = from;
                    r.to.put(g, from);
                });
        r.migration.abort();
        r.migration.abort();
    }

    /** What is under way, the first of {@link #PHASES} that fits. */
    private String phase() {
        if (open.stream().anyMatch(r -> r.begun && r.migration.isAborted())) {
            return "aborting";
        }
        if (open.stream().anyMatch(r -> r.begun && r.migration.progress().open() > 0)) {
            return "moving";
        }
        if (open.stream().anyMatch(r -> r.begun)) {
            return "between";
        }
        if (!open.isEmpty()) {
            return "activating";
        }
        return retiring.isEmpty() ? "none" : "retiring";
    }

    private boolean canRetire(int i) {
        if (retiring.contains(i)
                || active.size() - retiring.size() < 2
                || activating.containsKey(i)) {
            return false;
        }
        for (Map.Entry<Integer, ArrayDeque<SimCopies.Bulk>> lane : bulk.entrySet()) {
            boolean ofIt = lane.getKey() / ceiling == i || lane.getKey() % ceiling == i;
            if (ofIt && !lane.getValue().isEmpty()) {
                return false; // exchanges end before, and end when all of them has been read
            }
        }
        boolean early = mutated(Mutation.RETIRE_EARLY);
        for (int g = 0; g < groupCount; g++) {
            if (placement[g] == i && !(early && started[g])) {
                return false;
            }
        }
        for (Rescale r : open) {
            if (r.to.containsValue(i) || r.from.containsValue(i) && !early) {
                return false;
            }
            // an aborted one moves back from where it had moved to
            if (r.migration.isAborted() && r.subscales.stream().anyMatch(s -> s.newOwner() == i)) {
                return false;
            }
        }
        return early || !toHear.contains(i);
    }

    private void retire(int i) {
        log(() -> "retire " + i);
        retiring.add(i);
        turns.requestSection(
                () -> {
                    endings.put(i, 0);
                    if (consumerCount == 0) {
                        saw("retired without consumers");
                    }
                    for (SimPredecessor p : running()) {
                        tell(
                                "stop " + i + " at " + p.index,
                                () -> {
                                    p.openTo.remove(i);
                                    p.send(i, new Item(Item.Kind.END));
                                },
                                () -> !p.waits());
                    }
                });
    }

    void ended(int i) {
        if (endings.merge(i, 1, Integer::sum) >= consumerCount) {
            saw("retired");
            endings.remove(i);
            subtasks[i] = null;
            active.remove(i);
            retiring.remove(i);
            turns.sectionDone();
        }
    }

    // ---- scheduler
    // --------------------------------------------------------------------------------

    private void add(IntConsumer run, int argument) {
        if (stepCount == stepRun.size()) {
            stepRun.add(run);
            stepArgument.add(argument);
        } else {
            stepRun.set(stepCount, run);
            stepArgument.set(stepCount, argument);
        }
        stepCount++;
    }

    private final IntConsumer stepPredecessor = u -> predecessors[u].step();
    private final IntConsumer stepChannel = this::channel;
    private final IntConsumer stepPeer = this::peerStep;
    private final IntConsumer stepConsumer = this::consumerStep;
    private final IntConsumer stepPull = this::pullStep;
    private final IntConsumer stepBulk = this::bulkStep;
    private final IntConsumer stepWritten = storage::written;
    private final IntConsumer stepRead = this::readStep;
    private final IntConsumer stepRemove = storage::remove;
    private final IntConsumer stepCopy = this::copyStep;
    private final IntConsumer stepControl = this::controlStep;
    private final IntConsumer stepRetire = this::retire;
    private final IntConsumer stepRescale = x -> beginRescale();
    private final IntConsumer stepCheckpoint = x -> wantCheckpoint();
    private final IntConsumer stepAbort = x -> abort();
    private final IntConsumer stepCrash = x -> crash();
    private final IntConsumer stepWantEnd = this::wantEnd;
    private final IntConsumer stepReleaseEnds = x -> releaseEnds();
    private final IntConsumer stepFlush = this::flushStep;
    private final IntConsumer stepPiece = this::pieceStep;

    /** Whoever wants the rescale to end, for another reason than those that are modelled. */
    private final IntConsumer stepFetchRest = x -> sectionsAwaited();

    private void flushStep(int i) {
        subtasks[i].flushChain();
    }

    private void pieceStep(int i) {
        log(() -> "subtask " + i + " lets go");
        subtasks[i].pieces.step();
    }

    private void channel(int x) {
        SimSubtask t = subtasks[x / predecessorCount];
        int u = x % predecessorCount;
        log(() -> "subtask " + t.index + " channel " + u + ": " + t.channels[u].peek());
        t.onChannel(u);
    }

    private void consumerStep(int x) {
        consumers[x / ceiling].step(x % ceiling);
    }

    private void peerStep(int pair) {
        ArrayDeque<PeerElement<Item>> queue = peers.get(pair);
        if (mutated(Mutation.PEER_OVERTAKES) && queue.size() > 1 && random.nextBoolean()) {
            queue.add(queue.poll());
        }
        boolean full = queue.size() >= peerCapacity;
        PeerElement<Item> element = queue.poll();
        log(() -> "peer " + pair / ceiling + "->" + pair % ceiling + ": " + element);
        subtasks[pair % ceiling].onPeer(pair / ceiling, element);
        SimSubtask old = subtasks[pair / ceiling];
        if (full
                && queue.size() < peerCapacity
                && old != null
                && !mutated(Mutation.NO_ROOM_NOTICE)) {
            old.gate.peerRoomAgain();
        }
    }

    private void pullStep(int x) {
        Pull pull = pulls.remove(x);
        log(() -> "sent " + pull);
        if (stores()) {
            storage.write(pull, takeOut(pull.keyGroup, pull.bin));
            return;
        }
        bulk(pull.subscale)
                .add(
                        new SimCopies.Rest(
                                pull.subscale,
                                pull.keyGroup,
                                pull.bin,
                                takeOut(pull.keyGroup, pull.bin),
                                differences.remove(pull.keyGroup)));
    }

    private TreeMap<Long, Integer> takeOut(int keyGroup, Bin bin) {
        TreeMap<Long, Integer> rest = detached.get(keyGroup);
        if (mutated(Mutation.BIN_IS_THE_WHOLE)) {
            return new TreeMap<>(rest);
        }
        TreeMap<Long, Integer> taken = new TreeMap<>(rest);
        taken.keySet().removeIf(window -> !isIn(bin, keyOfWindow(window)));
        rest.keySet().removeAll(taken.keySet());
        return taken;
    }

    /** Keys of a key group, one after the other, go to one bin after the other. */
    int hash(int key) {
        return key / groupCount;
    }

    boolean isIn(Bin bin, int key) {
        return hash(key) % bin.of() == bin.number();
    }

    private void readStep(int x) {
        storage.read(x, this::bulk);
    }

    private void copyStep(int i) {
        subtasks[i].copies.step();
    }

    private void bulkStep(int pair) {
        SimCopies.Bulk next = bulk.get(pair).poll();
        log(() -> "bulk " + pair / ceiling + "->" + pair % ceiling + ": " + next);
        SimSubtask to = subtasks[pair % ceiling];
        if (next instanceof SimCopies.Base base) {
            to.copies.arrived(base);
        } else {
            SimCopies.Rest rest = (SimCopies.Rest) next;
            to.installed(rest.subscale(), rest.keyGroup(), rest.bin(), to.copies.arrived(rest));
        }
    }

    /** What only builds state outside the operator needs no room for results. */
    private boolean mayTakeBulk(int pair) {
        SimCopies.Bulk next = bulk.get(pair).peek();
        return next instanceof SimCopies.Base || next != null && subtasks[pair % ceiling].hasRoom();
    }

    private void controlStep(int x) {
        Message message = control.remove(x);
        log(() -> message.name);
        message.run.run();
    }

    private boolean chance(double rate) {
        return quiet > 0 || rate >= 1 || random.nextDouble() < rate;
    }

    private boolean peerBlocked(int subtask) {
        for (int pair : peers.keySet()) {
            if (pair / ceiling == subtask && peers.get(pair).size() >= peerCapacity) {
                return mutated(Mutation.PEER_BLOCKS);
            }
        }
        return false;
    }

    /** One of so many, each with its chance. */
    private void add(IntConsumer run, int count, double rate) {
        for (int x = 0; x < count; x++) {
            if (chance(rate)) {
                add(run, x);
            }
        }
    }

    private void collectSteps() {
        stepCount = 0;
        for (int u = 0; u < predecessorCount; u++) {
            if (predecessors[u].mayStep()) {
                add(stepPredecessor, u);
            }
        }
        for (int i = 0; i < ceiling; i++) {
            SimSubtask t = subtasks[i];
            if (t != null && (i != stalled || chance(stalledRate))) {
                for (int u = 0; u < predecessorCount; u++) {
                    if (t.canTake(u)) {
                        add(stepChannel, i * predecessorCount + u);
                    }
                }
                if (t.holdsResults() && t.hasRoom() && random.nextInt(4) == 0) {
                    add(stepFlush, i);
                }
            }
        }
        for (Map.Entry<Integer, ArrayDeque<PeerElement<Item>>> entry : peers.entrySet()) {
            int to = entry.getKey() % ceiling;
            if (!entry.getValue().isEmpty()
                    && !peerBlocked(to)
                    && subtasks[to].mayTake(entry.getValue().peek())) {
                add(stepPeer, entry.getKey());
            }
        }
        for (int pair : bulk.keySet()) {
            if (mayTakeBulk(pair) && chance(pullRate)) {
                add(stepBulk, pair);
            }
        }
        if (stores()) {
            add(stepWritten, storage.beingWritten(), pullRate);
            add(stepRead, storage.beingRead(), pullRate);
            add(stepRemove, storage.beingRemoved(), pullRate);
        }
        for (int i = 0; i < ceiling; i++) {
            if (subtasks[i] != null && subtasks[i].copies.isUnderWay() && chance(copyRate)) {
                add(stepCopy, i);
            }
        }
        for (int i = 0; i < ceiling; i++) {
            if (subtasks[i] != null && subtasks[i].pieces.mayStep() && chance(piecesRate)) {
                add(stepPiece, i);
            }
        }
        for (int d = 0; d < consumerCount; d++) {
            for (int i = 0; i < ceiling; i++) {
                if (consumers[d].mayStep(i) && chance(consumerRate)) {
                    add(stepConsumer, d * ceiling + i);
                }
            }
        }
        for (int x = 0; x < pulls.size(); x++) {
            if (chance(pullRate)) {
                add(stepPull, x);
            }
        }
        for (int x = 0; x < control.size(); x++) {
            Message message = control.get(x);
            if (chance(controlRate)
                    && (message.deliverable == null || message.deliverable.getAsBoolean())) {
                add(stepControl, x);
            }
        }
        collectRareSteps();
    }

    private void collectRareSteps() {
        if (rescalesLeft > 0 && random.nextDouble() < rescaleRate) {
            add(stepRescale, 0);
        }
        if (checkpointsLeft > 0
                && !wanted
                && pending.size() < maxPending
                && random.nextDouble() < 0.2) {
            add(stepCheckpoint, 0);
        }
        if (abortsLeft > 0
                && random.nextDouble() < 0.1
                && open.stream().anyMatch(r -> r.begun && !r.migration.isAborted())) {
            add(stepAbort, 0);
        }
        if (active.size() > 1 && random.nextDouble() < 0.2) {
            for (int i : active) {
                if (canRetire(i)) {
                    add(stepRetire, i);
                }
            }
        }
        if (crashesLeft > 0 && random.nextDouble() < 0.05) {
            add(stepCrash, 0);
        }
        for (SimPredecessor p : predecessors) {
            if (mayEnd(p) && random.nextDouble() < 0.3) {
                add(stepWantEnd, p.index);
            }
        }
        if (mayReleaseEnds()) {
            add(stepReleaseEnds, 0);
        }
        if (policies.pullOrder().leavesRest() && chance(0.01)) {
            for (Rescale r : open) {
                if (!r.restWanted.containsAll(r.inSection)) {
                    add(stepFetchRest, 0);
                }
            }
        }
    }

    /**
     * @throws RuntimeException if an invariant does not hold or a state machine finds a message out
     *     of place
     */
    void run() {
        for (; steps < MAX_STEPS && quiet <= 50; steps++) {
            collectSteps();
            quiet = stepCount > 0 ? 0 : quiet + 1;
            if (stepCount > 0) {
                int chosen = random.nextInt(stepCount);
                actions++;
                stepRun.get(chosen).accept(stepArgument.get(chosen));
                checkAwaited();
            }
        }
        checkEnd();
    }

    private void checkEnd() {
        log(this::left);
        Map<Long, Integer> found = new HashMap<>();
        Map<Long, Integer> expected = new HashMap<>();
        for (SimSubtask t : subtasks) {
            for (int u = 0; t != null && u < predecessorCount; u++) {
                check(
                        t.channels[u].isEmpty(),
                        "I4: deadlock, elements are left at subtask " + t.index);
            }
        }
        check(
                open.isEmpty() && control.isEmpty() && turns.running() == 0 && pulls.isEmpty(),
                "a rescale does not end");
        check(bulk.values().stream().allMatch(ArrayDeque::isEmpty), "state is left on its way");
        check(storage.isEmpty(), "storage: files are left");
        check(pending.isEmpty() && !wanted, "a checkpoint does not end");
        check(
                Arrays.equals(placement, intended),
                "I7: placement "
                        + Arrays.toString(placement)
                        + ", intended "
                        + Arrays.toString(intended));
        for (SimSubtask t : subtasks) {
            for (int g = 0; t != null && g < groupCount; g++) {
                check(
                        !t.owned[g] || placement[g] == t.index,
                        "I1: key group " + g + " is not where the placement says");
                if (t.owned[g] && t.state.containsKey(g)) {
                    t.state
                            .get(g)
                            .forEach(
                                    (window, count) -> {
                                        check((window & 1) == 1, "a window never fires");
                                        found.merge(window & ~1L, count, Integer::sum);
                                    });
                }
            }
            check(t == null || !t.gate.busy(), "a subscale is left open");
            check(t == null || !t.gate.keepsTime(), "event time is kept back");
            check(t == null || !t.unsaid, "consumers to come are told no event time");
            check(t == null || t.copies.isClean(), "a copy is left at a subtask");
        }
        written.values()
                .forEach(
                        results ->
                                results.forEach(
                                        (window, count) ->
                                                found.merge(window, count, Integer::sum)));
        for (SimConsumer d : consumers) {
            d.results.forEach((window, count) -> found.merge(window, count, Integer::sum));
            for (ArrayDeque<Item> queue : d.queues) {
                check(queue.isEmpty(), "I9: results are left at consumer " + d.index);
            }
            check(
                    d.valve.clock() == Long.MAX_VALUE,
                    "downstream event time does not reach the end");
        }
        for (SimPredecessor p : predecessors) {
            p.expected.forEach((window, count) -> expected.merge(window, count, Integer::sum));
        }
        check(found.equals(expected), "I7: windows and late records differ from what was sent");
    }

    /** What has not been taken, for the trace. */
    private String left() {
        StringBuilder out = new StringBuilder("left:");
        for (SimSubtask t : subtasks) {
            for (int u = 0; t != null && u < predecessorCount; u++) {
                if (!t.channels[u].isEmpty()) {
                    out.append(" channel ").append(u).append(" of subtask ").append(t.index);
                    out.append(t.held[u] ? " (held) " : " ").append(t.channels[u]);
                }
            }
        }
        for (SimConsumer d : consumers) {
            for (int i = 0; i < ceiling; i++) {
                if (!d.queues[i].isEmpty()) {
                    out.append(" consumer ").append(d.index).append(" from ").append(i);
                    out.append(d.mayStep(i) ? " " : " (stands) ").append(d.queues[i]);
                }
            }
        }
        peers.forEach((pair, queue) -> out.append(" peer ").append(pair).append(queue));
        return out.append(" control ").append(control).toString();
    }

    int steps() {
        return steps;
    }
}
