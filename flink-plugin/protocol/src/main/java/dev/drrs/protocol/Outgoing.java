package dev.drrs.protocol;

/** A subscale at its old owner. On the task's thread. */
final class Outgoing {

    final Subscale subscale;
    final long promised;

    /** Channels whose confirm has been passed on: nothing more is forwarded for them. */
    final boolean[] forwarded;

    /** Channels whose confirm has come; it is passed on when the key groups have left. */
    final boolean[] confirmed;

    /** How far the copy is that goes ahead of the key groups. */
    enum Copy {
        /** There is none, and there will be none. */
        NONE,
        /** It waits for event time, or for room in the window. */
        WANTED,
        UNDER_WAY,
        /** All of it is on the exchange. */
        SENT
    }

    Copy copy = Copy.NONE;

    /** About how large the copy is; -1 as long as nobody knows. */
    long copyBytes = -1;

    /** It is not to begin; it ends when its copy has stopped. */
    boolean cancelled;

    boolean ready;

    /** It was told to start, or a predecessor has confirmed it. */
    boolean begun;

    boolean detached;

    Outgoing(Subscale subscale, long promised, int channels) {
        this.subscale = subscale;
        this.promised = promised;
        this.forwarded = new boolean[channels];
        this.confirmed = new boolean[channels];
    }
}
