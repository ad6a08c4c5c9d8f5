package dev.drrs.protocol;

import java.util.Objects;

/**
 * What a {@link Strategy} decides. The machinery (gates, event time, order of results, turns with
 * checkpoints) is the same for all of them and goes by these where they differ.
 *
 * @param units planner: where key groups go, and in which units
 * @param startRule coordinator: when they are registered and started
 * @param signals coordinator and old owner: how one begins
 * @param pullOrder new owner: which key group is asked for next
 * @param waitRule new owner: what becomes of records whose key group is on its way
 * @param copyAhead old owner: whether a copy goes before the key groups do; over the exchange only
 * @param transport both owners: how state goes from one to the other
 */
public record Policies(
        Units units,
        StartRule startRule,
        Signals signals,
        PullOrder pullOrder,
        WaitRule waitRule,
        CopyAhead copyAhead,
        Transport transport) {

    public Policies {
        Objects.requireNonNull(units);
        Objects.requireNonNull(startRule);
        Objects.requireNonNull(signals);
        Objects.requireNonNull(pullOrder);
        Objects.requireNonNull(waitRule);
        Objects.requireNonNull(copyAhead);
        if (Objects.requireNonNull(transport) == Transport.STORAGE && copyAhead.isWanted()) {
            throw new IllegalArgumentException("a copy goes ahead over the exchange only");
        }
    }

    /** Whether state goes through shared storage. */
    public boolean stores() {
        return transport == Transport.STORAGE;
    }

    /** State goes over the exchange. */
    public Policies(
            Units units,
            StartRule startRule,
            Signals signals,
            PullOrder pullOrder,
            WaitRule waitRule,
            CopyAhead copyAhead) {
        this(units, startRule, signals, pullOrder, waitRule, copyAhead, Transport.EXCHANGE);
    }
}
