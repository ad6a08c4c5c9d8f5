package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;

/**
 * The coordinator's part of the subscales of one rescale. Single-threaded, event-driven.
 *
 * <p>A subscale is registered at its new owner, tracked by its old owner, and when that one is
 * ready it waits for its turn: the {@link StartRule} says which come next, and sections and
 * checkpoints take turns. A message for a subscale that has moved on is ignored. What a message
 * costs does not go by the number of subscales.
 */
public final class Migration {

    private enum State {
        PLANNED,
        REGISTERED,
        TRACKED,
        READY,
        WAITING_FOR_SECTION,
        STARTED,
        SETTLED,
        JOINED,
        CANCELLED
    }

    private static final class Entry {
        final Subscale subscale;

        /** In the order of the plan. */
        final int place;

        /** Moves key groups back after an abort. */
        final boolean back;

        private State state = State.PLANNED;
        boolean cancel;

        /** Joined was reported, whatever the state says. */
        boolean joined;

        /** Consumers that have taken all results of the old owner. */
        int passed;

        boolean inSection;

        /** The new owner has been told to ask for what nobody needs. */
        boolean restWanted;

        /** It counts for the limit of both owners. */
        boolean running;

        int answers;
        long consumerClock = Long.MIN_VALUE;
        GateReport.Counters counters = GateReport.Counters.NONE;

        Entry(Subscale subscale, int place, boolean back) {
            this.subscale = subscale;
            this.place = place;
            this.back = back;
        }
    }

    /**
     * @param movedKeyGroups that run at their new owner (moving back counts down again)
     * @param totalKeyGroups of the plan
     * @param open subscales that have started and are not settled
     * @param done subscales of the plan that are settled or cancelled
     * @param total subscales of the plan
     */
    public record Progress(
            int movedKeyGroups,
            int totalKeyGroups,
            int open,
            int done,
            int total,
            long rerouted,
            long setAside,
            long demanded,
            long bins) {}

    private final int[] placement;
    private final StartRule startRule;
    private final Signals signals;
    private final boolean leavesRest;
    private final boolean dropsAtOnce;
    private final int consumers;
    private final int passers;
    private final boolean untilPassed;
    private final IntSupplier nextId;
    private final Sections turns;
    private final MigrationEffects effects;
    private final Map<Integer, Entry> entries = new LinkedHashMap<>();

    /** How many are in each state. */
    private final int[] in = new int[State.values().length];

    /** Settled or joined ones whose results of the old owner have not been taken by all. */
    private int unpassed;

    private final Registrations registrations = new Registrations();
    private final RunningSubscales running;

    /** In the order of the plan. */
    private final TreeMap<Integer, Entry> ready = new TreeMap<>();

    /** Calls that are under way, one within another: each may begin sections of the next. */
    private int depth;

    /** One may start, of a rule with rounds: a round is there, and has had none. */
    private boolean roundOpen = true;

    private boolean aborted;
    private boolean stopped;
    private boolean paused;
    private boolean finished;

    /**
     * @param placement key group to subtask, as of now
     * @param nodeOf subtask to a number for the node that it runs on; the same as long as this one
     *     moves key groups
     * @param policies of the strategy
     * @param consumers input gates that answer an align event of a new owner
     * @param passers who say when they have taken the results of an old owner: consumers, and those
     *     that scale together with the operator
     * @param untilPassed whether the section of a subscale lasts until they all have: a checkpoint
     *     that overtakes elements would lose where results end and begin
     * @param nextId ids for the subscales that move back after an abort
     */
    public Migration(
            int[] placement,
            List<Subscale> subscales,
            IntUnaryOperator nodeOf,
            Policies policies,
            int consumers,
            int passers,
            boolean untilPassed,
            IntSupplier nextId,
            Sections turns,
            MigrationEffects effects) {
        this.placement = placement.clone();
        this.startRule = policies.startRule();
        this.signals = policies.signals();
        this.leavesRest = policies.pullOrder().leavesRest();
        this.dropsAtOnce = policies.copyAhead().isWanted(); // it makes room for the next copy
        this.consumers = consumers;
        this.passers = passers;
        this.untilPassed = untilPassed;
        this.nextId = Objects.requireNonNull(nextId);
        this.turns = Objects.requireNonNull(turns);
        this.effects = Objects.requireNonNull(effects);
        this.running =
                new RunningSubscales(
                        placement, nodeOf, () -> in(State.REGISTERED) + in(State.TRACKED));
        subscales.forEach(subscale -> plan(subscale, false));
    }

    private void plan(Subscale subscale, boolean back) {
        if (entries.put(subscale.id(), new Entry(subscale, entries.size(), back)) != null) {
            throw new IllegalArgumentException("two subscales with id " + subscale.id());
        }
        in[State.PLANNED.ordinal()]++;
        registrations.plan(subscale);
    }

    private void to(Entry entry, State state) {
        in[entry.state.ordinal()]--;
        in[state.ordinal()]++;
        entry.state = state;
    }

    /** Registers subscales. New owners and their channels have to be there by now. */
    public void begin() {
        turn(
                () -> {
                    registerMore();
                    finishIfDone();
                });
    }

    private void turn(Runnable what) {
        depth++;
        try {
            what.run();
        } finally {
            depth--;
        }
        if (depth == 0) {
            effects.turnOver(dropsAtOnce || isCalm());
        }
    }

    /** Whether no turn is sure to come soon. */
    private boolean isCalm() {
        return in(State.STARTED) + in(State.WAITING_FOR_SECTION) == 0;
    }

    /**
     * A consumer has answered an align event.
     *
     * @param clock milliseconds, the consumer's event time
     */
    public void onConsumerAligned(int subscale, long clock) {
        Entry entry = entries.get(subscale);
        if (entry == null || entry.answers == consumers) {
            return;
        }
        entry.consumerClock = Math.max(entry.consumerClock, clock);
        if (++entry.answers == consumers) {
            turn(() -> effects.aligned(entry.subscale, entry.consumerClock));
        }
    }

    /**
     * Somebody has taken all results that the old owner made of the subscale's key groups.
     *
     * @return the subscale, null if it is none of this migration
     */
    public Subscale onResultsPassed(int subscale) {
        Entry entry = entries.get(subscale);
        if (entry == null) {
            return null;
        }
        entry.passed++;
        boolean settled = entry.state == State.SETTLED || entry.state == State.JOINED;
        unpassed -= settled && entry.passed == passers ? 1 : 0;
        endSectionIfOver(entry);
        finishIfDone();
        return entry.subscale;
    }

    public void onReport(GateReport report) {
        onReports(List.of(report));
    }

    /**
     * As many calls of {@link #onReport}; what follows from all of them is one turn.
     *
     * @param reports of one subtask, in its order
     */
    public void onReports(List<GateReport> reports) {
        turn(() -> reports.forEach(this::hear));
    }

    private void hear(GateReport report) {
        Entry entry = entries.get(report.subscale());
        if (entry == null) {
            return;
        }
        if (report instanceof GateReport.Promised promised) {
            onPromised(entry, promised.promised());
        } else if (report instanceof GateReport.Ready) {
            if (entry.state == State.TRACKED && !entry.cancel) {
                toReady(entry);
                schedule();
            }
        } else if (report instanceof GateReport.Installed) {
            if (entry.state == State.STARTED) { // its section goes on until it has settled
                leaveOwners(entry);
                schedule();
            }
        } else if (report instanceof GateReport.Settled settled) {
            onSettled(entry, settled);
        } else if (report instanceof GateReport.Joined) {
            entry.joined = true;
            joinIfSettled(entry);
        } else if (report instanceof GateReport.Cancelled) {
            if (entry.state != State.CANCELLED) {
                to(entry, State.CANCELLED);
                registrations.dropped(entry.subscale);
            }
            registerMore();
            schedule(); // it may have kept others waiting
            finishIfDone();
        }
    }

    /**
     * Subscales that have not started are dropped, those that have are finished and moved back.
     * Ends with {@link MigrationEffects#finished}. A second call changes nothing.
     */
    public void abort() {
        if (aborted || finished) {
            return;
        }
        aborted = true;
        fetchRest();
        turn(this::turnBack);
    }

    private void turnBack() {
        dropPlanned();
        for (Entry entry : List.copyOf(entries.values())) {
            switch (entry.state) {
                case REGISTERED -> entry.cancel = true; // dropped as soon as it has answered
                case TRACKED, READY, WAITING_FOR_SECTION -> cancelUnlessDone(entry);
                case JOINED -> moveBack(entry);
                default -> {} // started: finished first
            }
        }
        finishIfDone();
    }

    /**
     * Drops what has not started and lets the rest finish where it goes. For a job whose input
     * ends: nothing is moved back, and {@link MigrationEffects#finished} may never come.
     */
    public void stop() {
        stopped = true;
        fetchRest();
        turn(this::dropUnstarted);
    }

    private void dropUnstarted() {
        dropPlanned();
        for (Entry entry : List.copyOf(entries.values())) {
            switch (entry.state) {
                case REGISTERED -> entry.cancel = true;
                case TRACKED, READY, WAITING_FOR_SECTION -> cancelUnlessDone(entry);
                default -> {} // started: finishes
            }
        }
    }

    /** Nobody knows of them yet. */
    private void dropPlanned() {
        registrations.drop();
        for (Entry entry : entries.values()) {
            if (entry.state == State.PLANNED) {
                to(entry, State.CANCELLED);
            }
        }
    }

    /**
     * Somebody waits for the sections of this migration: with a strategy that leaves at old owners
     * what nobody needs, that is asked for from now on, of the subscales that have started.
     */
    public void fetchRest() {
        if (leavesRest) {
            turn(() -> entries.values().forEach(this::fetchRest));
        }
    }

    private void fetchRest(Entry entry) {
        if (leavesRest && entry.state == State.STARTED && !entry.restWanted) {
            entry.restWanted = true;
            effects.fetchRest(entry.subscale);
        }
    }

    /** Starts no subscale until {@link #resume}; those that have started finish. */
    public void pause() {
        paused = true;
        fetchRest();
    }

    public void resume() {
        paused = false;
        turn(this::schedule);
    }

    public boolean isAborted() {
        return aborted;
    }

    /** Whether no subscale has started that is not settled. */
    public boolean isQuiet() {
        return in(State.STARTED) == 0;
    }

    /**
     * Whether no key group is on its way, and nothing that a checkpoint would lose; some subscales
     * may wait for event time to join.
     */
    public boolean isSettled() {
        return isSettled(untilPassed);
    }

    /** Whether, besides, whoever is behind has taken all results of old owners. */
    public boolean isStill() {
        return isSettled(true);
    }

    private boolean isSettled(boolean passed) {
        int over = in(State.SETTLED) + in(State.JOINED) + in(State.CANCELLED);
        return over == entries.size() && !(passed && unpassed > 0);
    }

    private int in(State state) {
        return in[state.ordinal()];
    }

    private boolean isSettled(Entry entry, boolean passed) {
        return switch (entry.state) {
            case SETTLED, JOINED -> !passed || isPassed(entry);
            case CANCELLED -> true;
            default -> false;
        };
    }

    public int[] placement() {
        return placement.clone();
    }

    public Progress progress() {
        int moved = 0;
        int totalKeyGroups = 0;
        int open = 0;
        int done = 0;
        int total = 0;
        long rerouted = 0;
        long setAside = 0;
        long demanded = 0;
        long bins = 0;
        for (Entry entry : entries.values()) {
            boolean settled = entry.state == State.SETTLED || entry.state == State.JOINED;
            int keyGroups = entry.subscale.keyGroups().length;
            open += entry.state == State.STARTED ? 1 : 0;
            moved += settled ? (entry.back ? -keyGroups : keyGroups) : 0;
            rerouted += entry.counters.rerouted();
            setAside += entry.counters.setAside();
            demanded += entry.counters.demanded();
            bins += entry.counters.bins();
            if (!entry.back) {
                totalKeyGroups += keyGroups;
                total++;
                done += settled || entry.state == State.CANCELLED ? 1 : 0;
            }
        }
        return new Progress(
                moved, totalKeyGroups, open, done, total, rerouted, setAside, demanded, bins);
    }

    private void onPromised(Entry entry, long promised) {
        if (entry.state != State.REGISTERED) {
            return;
        }
        to(entry, State.TRACKED);
        effects.track(entry.subscale, promised);
        if (entry.cancel) {
            cancel(entry);
        }
    }

    /** At most once: an abort may come before the end of all inputs. */
    private void cancelUnlessDone(Entry entry) {
        if (!entry.cancel) {
            cancel(entry);
        }
    }

    private void cancel(Entry entry) {
        entry.cancel = true;
        ready.remove(entry.place);
        if (entry.state == State.WAITING_FOR_SECTION) {
            running.withdraw(entry.subscale);
        }
        to(entry, State.TRACKED);
        effects.untrack(entry.subscale); // the new owner's Cancelled closes it
    }

    private void onSettled(Entry entry, GateReport.Settled settled) {
        if (entry.state != State.STARTED) {
            return;
        }
        to(entry, State.SETTLED);
        unpassed += isPassed(entry) ? 0 : 1;
        leaveOwners(entry);
        registrations.settled(entry.subscale);
        entry.counters = settled.counters();
        for (int keyGroup : entry.subscale.keyGroups()) {
            placement[keyGroup] = entry.subscale.newOwner();
        }
        effects.placementChanged(entry.subscale);
        effects.dropAtOldOwner(entry.subscale);
        endSectionIfOver(entry);
        registerMore(); // before it joins: its pair of owners is never without one
        joinIfSettled(entry);
        schedule();
    }

    /** Once, whatever is reported first: its owners have room for another one. */
    private void leaveOwners(Entry entry) {
        if (entry.running) {
            entry.running = false;
            running.left(entry.subscale);
        }
    }

    private void endSectionIfOver(Entry entry) {
        if (entry.inSection && isSettled(entry, untilPassed)) {
            entry.inSection = false;
            turns.sectionDone();
        }
    }

    private boolean isPassed(Entry entry) {
        return entry.passed >= passers;
    }

    private void joinIfSettled(Entry entry) {
        if (entry.joined && entry.state == State.SETTLED) {
            to(entry, State.JOINED);
            registrations.joined();
            if (aborted && !stopped && !entry.back) {
                moveBack(entry);
            }
            registerMore();
            finishIfDone();
        }
    }

    private void moveBack(Entry entry) {
        Subscale s = entry.subscale;
        Subscale back = new Subscale(nextId.getAsInt(), s.newOwner(), s.oldOwner(), s.keyGroups());
        plan(back, true);
        registerMore();
    }

    private void registerMore() {
        for (Subscale subscale : registrations.take(startRule)) {
            to(entries.get(subscale.id()), State.REGISTERED);
            effects.register(subscale);
        }
    }

    private void toReady(Entry entry) {
        to(entry, State.READY);
        ready.put(entry.place, entry);
        effects.ready(entry.subscale);
    }

    /** A round of the start rule begins: asked for by {@link MigrationEffects#nextRound}. */
    public void onRound() {
        if (finished || stopped) {
            return;
        }
        roundOpen = true;
        turn(this::schedule);
        if (roundOpen) { // none starts before the next
            nextRound();
        }
    }

    private void nextRound() {
        roundOpen = false;
        effects.nextRound(startRule.roundMillis());
    }

    private void schedule() {
        if (paused || ready.isEmpty() || !roundOpen) {
            return;
        }
        List<Subscale> left = new ArrayList<>();
        ready.values().forEach(entry -> left.add(entry.subscale));
        while (!left.isEmpty()) {
            Subscale next = startRule.toStart(left, running);
            if (next == null) {
                return;
            }
            left.remove(next);
            running.add(next);
            Entry entry = entries.get(next.id());
            ready.remove(entry.place);
            to(entry, State.WAITING_FOR_SECTION);
            boolean rounds = startRule.roundMillis() > 0;
            if (rounds) {
                nextRound();
            }
            turns.requestSection(() -> start(entry));
            if (rounds) {
                return;
            }
        }
    }

    private void start(Entry entry) {
        if (entry.state != State.WAITING_FOR_SECTION) { // cancelled meanwhile
            turns.sectionDone();
            return;
        }
        if (paused) {
            running.withdraw(entry.subscale);
            toReady(entry);
            turns.sectionDone();
            return;
        }
        to(entry, State.STARTED);
        entry.inSection = true;
        entry.running = true;
        turn(
                () -> {
                    signals.begin(entry.subscale, effects);
                    if (aborted || stopped) {
                        fetchRest(entry);
                    }
                });
    }

    private void finishIfDone() {
        if (isStill() && in(State.SETTLED) == 0 && !finished) {
            finished = true;
            effects.turnOver(true);
            effects.finished(aborted);
        }
    }
}
