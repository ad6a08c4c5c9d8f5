package dev.drrs.protocol;

/** An element in a set-aside queue: a record, or event time of the channel between records. */
final class Waiting<E> {

    static final int WATERMARK = -1;
    static final int STATUS = -2;
    static final int HOLD = -3;

    /** What a watermark or status counts for in the limit in bytes. */
    static final int TIME_BYTES = 16;

    /** What a record needs, a part as in {@link PullOrder}; else one of the constants above. */
    int kind;

    final E record;
    final int bytes;

    /**
     * Milliseconds of a watermark, 1 or 0 of a status; of a record whose key group may turn out to
     * come in bins {@link GateEffects#hash}.
     */
    long value;

    Waiting(int kind, E record, int bytes, long value) {
        this.kind = kind;
        this.record = record;
        this.bytes = bytes;
        this.value = value;
    }

    boolean isRecord() {
        return kind >= 0;
    }
}
