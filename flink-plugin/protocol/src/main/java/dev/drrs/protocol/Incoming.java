package dev.drrs.protocol;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A subscale at its new owner: what it knows, and what waits in it. Moves nothing by itself. On the
 * task's thread.
 */
final class Incoming<E> implements PullOrder.Missing {

    final Subscale subscale;

    /** Its own event time; null until the old owner's copy has come. */
    EventClock valve;

    boolean detached;

    /** Event time up to which the old owner has fired all timers of the key groups. */
    long detachClock;

    /** The clock when timers were last fired: here, or before the detach at the old owner. */
    long fired = Long.MIN_VALUE;

    boolean settled;

    /** The coordinator has been told that all key groups are here. */
    boolean toldInstalled;

    /** Whether it has been idle since it was registered; results of such key groups may be late. */
    boolean wasIdle;

    final boolean[] confirmed;
    final boolean[] switched;

    /** Elements of the peer exchange behind a record that has not been processed. */
    final ArrayDeque<Arrived<E>> fifo = new ArrayDeque<>();

    /** Per channel what came on it after the switch and has not been processed yet. */
    private final ArrayDeque<Waiting<E>>[] aside;

    /** For the exchange, and for each channel: whether what waits is about to be let go. */
    private final boolean[] turns;

    /** The most bins that a key group has. */
    private final int mostBins;

    private final boolean binsBySize;

    /** What is asked for at a time, as numbers, in the order of the plan. */
    private int[] partNumbers;

    /** In {@link #partNumbers} all before this one have been asked for. */
    private int planned;

    private final Map<Integer, Part> parts = new HashMap<>();
    private int installedCount;
    int pulling;

    /** Somebody waits for the end of the rescale: what nobody needs is to come, too. */
    boolean restWanted;

    /** Parts that an element has waited for, in the order in which the first one came. */
    private final ArrayDeque<Integer> awaited = new ArrayDeque<>();

    /** First timers of parts, at the detach; null if they are not heeded. */
    private DueTimers eventTimers;

    private DueTimers toAskByEventTime;
    private DueTimers toAskByProcessingTime;

    /** Epoch milliseconds: processing time that this subtask knows of. */
    long processingTime = Long.MIN_VALUE;

    /** Records among what is set aside, on all channels. */
    long recordsAside;

    private long waiting;
    private long mostWaiting;
    long rerouted;
    long setAside;
    long demanded;

    /**
     * An element of the peer exchange.
     *
     * @param part the one whose state it waits for, -1 for none
     */
    record Arrived<E>(PeerElement<E> element, int part) {}

    private static final class Part {

        /** In how many bins its key group comes. */
        final int of;

        boolean requested;
        boolean installed;
        int waiting;

        Part(int of) {
            this.of = of;
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    Incoming(Subscale subscale, int channels, PullOrder order) {
        this.subscale = subscale;
        binsBySize = order.binsBySize().isWanted();
        mostBins = binsBySize ? BinsBySize.MOST : order.bins();
        confirmed = new boolean[channels];
        switched = new boolean[channels];
        turns = new boolean[channels + 1];
        aside = new ArrayDeque[channels];
        for (int c = 0; c < channels; c++) {
            aside[c] = new ArrayDeque<>(0);
        }
        int[] bins = new int[subscale.keyGroups().length];
        Arrays.fill(bins, order.bins());
        number(bins);
    }

    /** Whether key groups may turn out to come in bins. */
    boolean mayBeDivided() {
        return binsBySize && !detached;
    }

    /**
     * Its key groups have left in so many bins.
     *
     * @param bins in the order of the subscale
     * @throws ProtocolException if that does not fit the subscale, or the strategy
     */
    void divide(int[] bins) {
        boolean fits = bins.length == subscale.keyGroups().length;
        if (!fits || Arrays.stream(bins).anyMatch(of -> of < 1 || of > mostBins)) {
            throw new ProtocolException(
                    "key groups of " + subscale + " come in bins: " + Arrays.toString(bins));
        }
        Map<Integer, Part> whole = Map.copyOf(parts);
        parts.clear();
        number(bins);
        whole.forEach((part, before) -> parts.get(part).waiting = before.waiting);
    }

    private void number(int[] bins) {
        IntStream.Builder numbers = IntStream.builder();
        int[] keyGroups = subscale.keyGroups();
        for (int i = 0; i < bins.length; i++) {
            for (int bin = 0; bin < bins[i]; bin++) {
                int part = part(keyGroups[i], bin);
                numbers.add(part);
                parts.put(part, new Part(bins[i]));
            }
        }
        partNumbers = numbers.build().toArray();
        planned = 0;
    }

    /** In how many bins a key group of it comes, as far as that is known. */
    int bins(int keyGroup) {
        return parts.get(part(keyGroup, 0)).of;
    }

    int part(int keyGroup, int bin) {
        return keyGroup * mostBins + bin;
    }

    int keyGroupOf(int part) {
        return part / mostBins;
    }

    Bin binOf(int part) {
        return new Bin(part % mostBins, bins(keyGroupOf(part)));
    }

    private String named(int keyGroup, Bin bin) {
        return "key group " + keyGroup + (bin.of() == 1 ? "" : ", " + bin + ",");
    }

    ArrayDeque<Waiting<E>> aside(int channel) {
        return aside[channel];
    }

    boolean isInstalled(int part) {
        return allInstalled() || parts.get(part).installed;
    }

    int missingBins(int keyGroup) {
        int missing = 0;
        for (int bin = 0; !allInstalled() && bin < bins(keyGroup); bin++) {
            missing += parts.get(part(keyGroup, bin)).installed ? 0 : 1;
        }
        return missing;
    }

    boolean anyInstalled() {
        return installedCount > 0;
    }

    boolean allInstalled() {
        return installedCount == partNumbers.length;
    }

    /** Whether the head of the channel's queue may be processed. */
    boolean headReleased(int channel) {
        Waiting<E> head = aside[channel].peekFirst();
        return head != null && confirmed[channel] && (!head.isRecord() || isInstalled(head.kind));
    }

    /** Whether the head of the FIFO may be taken. */
    boolean fifoReleased() {
        Arrived<E> head = fifo.peekFirst();
        return head != null && (head.part < 0 || isInstalled(head.part));
    }

    /** Whether the queue is among the {@link ReleasedQueues}. */
    boolean hasTurn(int channel) {
        return turns[channel + 1];
    }

    void turn(int channel, boolean has) {
        turns[channel + 1] = has;
    }

    /** One more (+1) or one less (-1) element waits, for the part if it is one. */
    void countWaiting(int part, int change) {
        waiting += change;
        mostWaiting = Math.max(mostWaiting, waiting);
        if (part >= 0) {
            Part of = parts.get(part);
            of.waiting += change;
            if (change > 0 && of.waiting == 1 && !of.requested) {
                awaited.add(part);
            }
        }
    }

    /** What the subscale allows its new owner to promise downstream (rule R1). */
    long bound() {
        if (valve == null) {
            return Long.MIN_VALUE;
        }
        if (!detached || allInstalled()) {
            return valve.clock();
        }
        // what is still to come has timers above the clock at which it was detached
        return eventTimers == null
                ? detachClock
                : Math.max(
                        detachClock,
                        Math.min(valve.clock(), eventTimers.before(this::isInstalled)));
    }

    /**
     * @param timers {@link GateEffects#firstTimers}
     * @throws ProtocolException if these are not those of all parts
     */
    void timers(long[] timers) {
        if (timers.length != 2 * partNumbers.length) {
            throw new ProtocolException(
                    timers.length + " timers for " + partNumbers.length + " parts of " + subscale);
        }
        eventTimers = new DueTimers();
        toAskByEventTime = new DueTimers();
        toAskByProcessingTime = new DueTimers();
        for (int i = 0; i < partNumbers.length; i++) {
            eventTimers.add(partNumbers[i], timers[2 * i]);
            toAskByEventTime.add(partNumbers[i], timers[2 * i]);
            toAskByProcessingTime.add(partNumbers[i], timers[2 * i + 1]);
        }
    }

    /** Epoch milliseconds: the first processing-time timer of what has not been asked for. */
    long nextByProcessingTime() {
        return toAskByProcessingTime.first(this::isRequested);
    }

    @Override
    public int firstAwaited() {
        while (!awaited.isEmpty() && isRequested(awaited.peekFirst())) {
            awaited.poll();
        }
        return awaited.isEmpty() ? -1 : awaited.peekFirst();
    }

    /** As in Flink an event-time timer at or below the clock waits until that advances again. */
    @Override
    public int firstDue() {
        if (eventTimers == null) {
            return -1;
        }
        int due =
                valve.clock() > detachClock
                        ? toAskByEventTime.due(valve.clock(), this::isRequested)
                        : -1;
        return due >= 0 ? due : toAskByProcessingTime.due(processingTime, this::isRequested);
    }

    /** Whether nothing comes of it downstream until a channel becomes active. */
    boolean quiet() {
        return valve != null && valve.allIdle() && bound() == valve.clock();
    }

    boolean mayPull(int window) {
        return mayDemand() && pulling < window;
    }

    /** Whether there is something that may be asked for and has not been. */
    boolean mayDemand() {
        return detached && installedCount + pulling < partNumbers.length;
    }

    /**
     * @throws ProtocolException if it has been asked for, or is none of these
     */
    void requested(int part) {
        Part p = parts.get(part);
        if (p == null || p.requested) {
            throw new ProtocolException(
                    (p == null ? "part " + part : named(keyGroupOf(part), binOf(part)))
                            + " of "
                            + subscale
                            + " is asked for once too often");
        }
        p.requested = true;
        pulling++;
    }

    @Override
    public int[] parts() {
        return partNumbers;
    }

    @Override
    public boolean isRequested(int part) {
        return parts.get(part).requested;
    }

    @Override
    public int firstOfPlan() {
        while (planned < partNumbers.length && isRequested(partNumbers[planned])) {
            planned++;
        }
        if (planned == partNumbers.length) {
            throw new IllegalStateException("nothing is missing");
        }
        return partNumbers[planned];
    }

    @Override
    public int waiting(int part) {
        return parts.get(part).waiting;
    }

    @Override
    public int firstOfExchange() {
        Arrived<E> head = fifo.peekFirst();
        return head == null ? -1 : head.part;
    }

    @Override
    public int channels() {
        return aside.length;
    }

    @Override
    public int firstOf(int channel) {
        Waiting<E> head = aside[channel].peekFirst();
        return head != null && head.isRecord() ? head.kind : -1;
    }

    /**
     * @throws ProtocolException if it was not asked for, or has come before
     */
    void install(int keyGroup, Bin bin) {
        Part p = parts.get(part(keyGroup, bin.number()));
        if (p == null || p.of != bin.of() || !p.requested || p.installed) {
            throw new ProtocolException(
                    "state of " + named(keyGroup, bin) + " comes unasked for in " + subscale);
        }
        p.installed = true;
        installedCount++;
        pulling--;
    }

    /**
     * Whether the old owner is out of it, with all channels that it has, and all of the present
     * channels that were set aside are through.
     */
    boolean isComplete(EventClock main) {
        if (!allInstalled() || !fifo.isEmpty()) {
            return false;
        }
        for (int c = 0; c < aside.length; c++) {
            boolean here = main.present(c);
            if ((here || valve.present(c)) && !confirmed[c]
                    || here && !(switched[c] && aside[c].isEmpty())) {
                return false;
            }
        }
        return true;
    }

    private long inBins() {
        return parts.values().stream().filter(part -> part.of > 1).count();
    }

    GateReport.Counters counters() {
        return new GateReport.Counters(rerouted, setAside, mostWaiting, demanded, inBins());
    }
}
