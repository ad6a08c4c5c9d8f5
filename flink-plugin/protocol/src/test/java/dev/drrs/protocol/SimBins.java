package dev.drrs.protocol;

import static dev.drrs.protocol.Violation.check;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Key groups that come in bins because they are large: how large they are, and what has to come of
 * that. Goes by the sizes and by what waits, not by what the gates make of it.
 */
final class SimBins {

    private static final int MOST_BYTES = 4;

    private final Simulation sim;
    private final BinsBySize rule;

    /** Of its own: schedules without bins are the same whether there could be some or not. */
    private final Random random;

    /** By key group on its way. */
    private final Map<Integer, Integer> bins = new HashMap<>();

    /** How many key groups have left last, and whether they had been copied ahead. */
    private int left;

    private boolean copied;

    SimBins(Simulation sim, Random random) {
        this.sim = sim;
        this.rule = sim.policies.pullOrder().binsBySize();
        this.random = random;
    }

    /** Old owner: as {@link GateEffects#sizes}. */
    long[] sizes(Subscale s) {
        return random.longs(s.keyGroups().length, 0, MOST_BYTES + 1).toArray();
    }

    /**
     * Old owner: the key groups leave.
     *
     * @param sizes that were told of them; null if nobody asked
     */
    void detached(Outgoing out, long[] sizes) {
        copied = out.copy == Outgoing.Copy.SENT;
        check(
                (sizes != null) == (rule.isWanted() && !copied),
                "bins: whether they are asked for their sizes: " + out.subscale);
        int[] keyGroups = out.subscale.keyGroups();
        left = keyGroups.length;
        for (int i = 0; i < keyGroups.length; i++) {
            boolean large = sizes != null && sizes[i] > rule.from();
            bins.put(keyGroups[i], large ? bins(sizes[i]) : 1);
        }
        if (copied && rule.isWanted()) {
            sim.saw("copied ahead as a whole");
        }
    }

    private int bins(long bytes) {
        int bins = 0;
        for (long rest = bytes; rest > 0; rest -= rule.size()) {
            bins++;
        }
        return bins;
    }

    /** What the old owner says, with the deliberate bugs. */
    PeerElement<Item> told(PeerElement<Item> element) {
        if (!(element instanceof PeerElement.Detached<Item> detached)) {
            return element;
        }
        int[] told = detached.bins();
        if (sim.mutated(Mutation.BINS_UNTOLD)) {
            told = new int[0];
        } else if (sim.mutated(Mutation.COPY_IN_BINS) && copied) {
            told = new int[left];
            Arrays.fill(told, 2);
        } else if (sim.mutated(Mutation.BINS_OF_ALL_KEY_GROUPS) && told.length > 0) {
            Arrays.fill(told, Arrays.stream(told).max().getAsInt());
        }
        return new PeerElement.Detached<>(detached.subscale(), detached.timers(), told);
    }

    /** New owner: a part has just been asked for. */
    void pulled(Incoming<Item> in, int keyGroup, Bin bin, boolean atHand) {
        if (!rule.isWanted()) {
            return;
        }
        check(
                bin.of() == bins.get(keyGroup),
                "bins: " + bin + " of key group " + keyGroup + ", which has " + bins.get(keyGroup));
        long waiting = waiting(in, keyGroup, bin);
        for (int part : in.parts()) {
            check(
                    atHand
                            || in.isRequested(part)
                            || waiting(in, in.keyGroupOf(part), in.binOf(part)) <= waiting,
                    "bins: one is asked for although more waits for another one");
        }
        if (bin.of() > 1) {
            sim.saw("large key group");
        }
        if (bin.of() > 1 && waiting > 0 && bin.number() > 0) {
            sim.saw("a bin that is needed goes before others");
        }
    }

    private long waiting(Incoming<Item> in, int keyGroup, Bin bin) {
        long waiting = 0;
        for (int channel = 0; channel < in.channels(); channel++) {
            ArrayDeque<Waiting<Item>> aside = in.aside(channel);
            waiting += aside.stream().filter(w -> isOf(w.record, keyGroup, bin)).count();
        }
        for (Incoming.Arrived<Item> arrived : in.fifo) {
            waiting +=
                    arrived.element() instanceof PeerElement.Rerouted<Item> record
                                    && isOf(record.element(), keyGroup, bin)
                            ? 1
                            : 0;
        }
        return waiting;
    }

    private boolean isOf(Item record, int keyGroup, Bin bin) {
        return record != null && sim.group(record.key) == keyGroup && sim.isIn(bin, record.key);
    }
}
