package dev.drrs.protocol;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

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

    /** Elements of the peer exchange behind a record whose state is not there yet. */
    final ArrayDeque<PeerElement<E>> fifo = new ArrayDeque<>();

    /** Per channel what came on it after the switch and may not be processed yet. */
    private final ArrayDeque<Waiting<E>>[] aside;

    private final Map<Integer, KeyGroup> keyGroups = new HashMap<>();
    private int installedCount;
    int pulling;

    /** Records among what is set aside, on all channels. */
    long recordsAside;

    private long waiting;
    private long mostWaiting;
    long rerouted;
    long setAside;

    private static final class KeyGroup {
        boolean requested;
        boolean installed;
        int waiting;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    Incoming(Subscale subscale, int channels) {
        this.subscale = subscale;
        confirmed = new boolean[channels];
        switched = new boolean[channels];
        aside = new ArrayDeque[channels];
        for (int c = 0; c < channels; c++) {
            aside[c] = new ArrayDeque<>(0);
        }
        for (int keyGroup : subscale.keyGroups()) {
            keyGroups.put(keyGroup, new KeyGroup());
        }
    }

    ArrayDeque<Waiting<E>> aside(int channel) {
        return aside[channel];
    }

    boolean isInstalled(int keyGroup) {
        return allInstalled() || keyGroups.get(keyGroup).installed;
    }

    boolean anyInstalled() {
        return installedCount > 0;
    }

    boolean allInstalled() {
        return installedCount == keyGroups.size();
    }

    /** Whether the head of the channel's queue may be processed. */
    boolean headReleased(int channel) {
        Waiting<E> head = aside[channel].peekFirst();
        return head != null && confirmed[channel] && (!head.isRecord() || isInstalled(head.kind));
    }

    /** Whether the head of the FIFO may be taken. */
    boolean fifoReleased() {
        PeerElement<E> head = fifo.peekFirst();
        return head != null
                && !(head instanceof PeerElement.Rerouted<E> record
                        && !isInstalled(record.keyGroup()));
    }

    /** One more (+1) or one less (-1) element waits, for the key group if it is one. */
    void countWaiting(int keyGroup, int change) {
        waiting += change;
        mostWaiting = Math.max(mostWaiting, waiting);
        if (keyGroup >= 0) {
            keyGroups.get(keyGroup).waiting += change;
        }
    }

    /** What the subscale allows its new owner to promise downstream (rule R1). */
    long bound() {
        if (valve == null) {
            return Long.MIN_VALUE;
        }
        // a key group that is still to come has timers above the clock at which it was detached
        return detached && !allInstalled() ? detachClock : valve.clock();
    }

    /** Whether nothing comes of it downstream until a channel becomes active. */
    boolean quiet() {
        return valve != null && valve.allIdle() && bound() == valve.clock();
    }

    boolean mayPull(int window) {
        return mayDemand() && pulling < window;
    }

    /** Whether there is a key group that may be asked for and has not been. */
    boolean mayDemand() {
        return detached && installedCount + pulling < keyGroups.size();
    }

    /**
     * @throws ProtocolException if it has been asked for, or is none of these
     */
    void requested(int keyGroup) {
        KeyGroup k = keyGroups.get(keyGroup);
        if (k == null || k.requested) {
            throw new ProtocolException(
                    "key group " + keyGroup + " of " + subscale + " is asked for once too often");
        }
        k.requested = true;
        pulling++;
    }

    @Override
    public int[] keyGroups() {
        return subscale.keyGroups();
    }

    @Override
    public boolean isRequested(int keyGroup) {
        return keyGroups.get(keyGroup).requested;
    }

    @Override
    public int waiting(int keyGroup) {
        return keyGroups.get(keyGroup).waiting;
    }

    @Override
    public int firstOfExchange() {
        return fifo.peekFirst() instanceof PeerElement.Rerouted<E> record ? record.keyGroup() : -1;
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
    void install(int keyGroup) {
        KeyGroup k = keyGroups.get(keyGroup);
        if (k == null || !k.requested || k.installed) {
            throw new ProtocolException(
                    "state of key group " + keyGroup + " comes unasked for in " + subscale);
        }
        k.installed = true;
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

    GateReport.Counters counters() {
        return new GateReport.Counters(rerouted, setAside, mostWaiting);
    }
}
