package dev.drrs.protocol;

/** An element on a channel of the simulated job. */
final class Item {

    enum Kind {
        RECORD,
        WATERMARK,
        STATUS,
        OPEN,
        CONFIRM,
        SWITCH,
        BARRIER,
        END,

        /** The predecessor has no more data. */
        END_OF_DATA,
        RESULT,

        /** A result that an operator behind the keyed one may keep for a while. */
        UPDATE,
        ALIGN,
        RESULTS_END,
        RESULTS_BEGIN
    }

    final Kind kind;

    /** Watermark, status (1 idle), or a result's time. */
    long value;

    int predecessor;
    long sequence;
    int key;
    long timestamp;

    /** What the predecessor had sent before: its last watermark and the number of statuses. */
    long watermark;

    int statuses;

    /** Subscale id. */
    int subscale;

    /** Of a result: its place among all results of its key. */
    long number;

    Simulation.Checkpoint checkpoint;
    long window;
    int count;
    boolean excused;

    Item(Kind kind) {
        this.kind = kind;
    }

    /**
     * Whether a checkpoint that overtakes it keeps it. Statuses are kept by Flink as well, but its
     * tasks begin active after a restore and do not say so, whatever is in the channel.
     */
    boolean isKept() {
        return kind == Kind.RESULT || kind == Kind.UPDATE || kind == Kind.WATERMARK;
    }

    static Item watermark(long value) {
        Item item = new Item(Kind.WATERMARK);
        item.value = value;
        return item;
    }

    static Item status(boolean idle) {
        Item item = new Item(Kind.STATUS);
        item.value = idle ? 1 : 0;
        return item;
    }

    static Item of(Kind kind, int subscale) {
        Item item = new Item(kind);
        item.subscale = subscale;
        return item;
    }

    static Item barrier(Simulation.Checkpoint checkpoint) {
        Item item = new Item(Kind.BARRIER);
        item.checkpoint = checkpoint;
        return item;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case RECORD -> "record " + sequence + " of key " + key + " ts " + timestamp;
            case WATERMARK -> "watermark " + value;
            case STATUS -> value == 1 ? "idle" : "active";
            case CONFIRM, SWITCH, ALIGN, RESULTS_END, RESULTS_BEGIN -> kind + " " + subscale;
            case RESULT, UPDATE -> kind + " " + number + " of key " + key;
            default -> kind.toString();
        };
    }
}
