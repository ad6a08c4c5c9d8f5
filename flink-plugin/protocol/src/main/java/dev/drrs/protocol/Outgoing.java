package dev.drrs.protocol;

/** A subscale at its old owner. On the task's thread. */
final class Outgoing {

    final Subscale subscale;
    final long promised;

    /** Channels whose confirm has been passed on: nothing more is forwarded for them. */
    final boolean[] forwarded;

    boolean ready;

    /** It was told to start, or a predecessor has confirmed it. */
    boolean begun;

    boolean detached;

    Outgoing(Subscale subscale, long promised, int channels) {
        this.subscale = subscale;
        this.promised = promised;
        this.forwarded = new boolean[channels];
    }
}
