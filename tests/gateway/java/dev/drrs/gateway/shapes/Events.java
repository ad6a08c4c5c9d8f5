package dev.drrs.gateway.shapes;

import dev.drrs.gateway.shapes.Shape.Origin;
import java.io.Serializable;
import java.util.stream.LongStream;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/** The events of one source: each a function of the shape, its split and its number in that. */
final class Events implements Serializable {

    private static final long BEGIN = 1_700_000_000_000L;
    private static final long STEP_MS = 10;
    private static final long SPLIT = 1_000_000;

    private final long seed;
    private final int source;
    private final int splits;
    private final int firstSplit;
    private final int allSplits;
    private final long lag;
    private final long silence;
    private final boolean idle;
    private final int count;
    private final Shape.Time time;
    private final Shape.Keys keys;
    private final long[] ids;

    Events(Shape shape, int source) {
        Origin origin = shape.sources().get(source);
        this.seed = shape.seed();
        this.source = source;
        this.splits = origin.splits();
        this.keys = shape.keys();
        this.time = shape.time();
        // Keys of two sources are the same ones, or none is.
        this.firstSplit =
                keys.apart() ? shape.sources().stream().limit(source).mapToInt(Origin::splits).sum() : 0;
        this.allSplits = keys.apart() ? shape.splits() : splits;
        this.lag = origin.lag();
        this.idle = origin.idle();
        this.count = origin.brief() ? origin.events() / 3 : origin.events();
        // What comes after the silence is later than anything that came in it.
        this.silence =
                STEP_MS * shape.sources().stream().mapToInt(Origin::events).max().orElseThrow()
                        + shape.sources().stream().mapToLong(Origin::lag).max().orElseThrow()
                        + time.bound();
        this.ids = ids(shape);
    }

    /** The keys: all, or such as are in the key group of the first one. */
    private static long[] ids(Shape shape) {
        KeyKind kind = KeyKind.of(shape.keys().type());
        int size = shape.keys().count() * (shape.keys().apart() ? shape.splits() : 1) + shape.splits();
        if (!shape.keys().together()) {
            return LongStream.range(0, size).toArray();
        }
        int group = KeyGroupRangeAssignment.assignToKeyGroup(kind.key(0), shape.maximum());
        return LongStream.iterate(0, id -> id + 1)
                .filter(id -> KeyGroupRangeAssignment.assignToKeyGroup(kind.key(id), shape.maximum()) == group)
                .limit(size)
                .toArray();
    }

    /** How many there are in a split. */
    int count() {
        return count;
    }

    /** The number of the event after which a split is silent; -1 for none. */
    int silentAfter(int split) {
        return idle && split == splits - 1 ? count / 3 : -1;
    }

    Event event(int split, int number) {
        long id = (source * 100L + split) * SPLIT + number;
        long random = mixed(seed * 31 + id);
        long share = Math.max(1, keys.count() / allSplits);
        boolean hot = (random >>> 8) % 100 < keys.hot();
        long own = hot ? 0 : (random >>> 16) % share;
        long key = keys.shared() ? (hot ? 0 : (random >>> 16) % keys.count()) : own * allSplits + firstSplit + split;
        long ts = BEGIN + number * STEP_MS - lag;
        ts -= time.bound() == 0 ? 0 : (random >>> 32) % time.bound();
        if (time.late() && (random >>> 48) % 20 == 0) {
            ts -= 10 * time.bound() + 2_000;
        }
        int silentAfter = silentAfter(split);
        if (silentAfter >= 0 && number > silentAfter) {
            ts += silence;
        }
        return new Event(id, source, ids[(int) key], ts, (random >>> 40) % 1000, number == silentAfter);
    }

    /** A number that looks random, and not negative (SplitMix64). */
    static long mixed(long n) {
        long z = (n + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return (z ^ (z >>> 31)) >>> 1;
    }
}
