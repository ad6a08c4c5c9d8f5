package dev.drrs.nexmark.query;

/** How many bids a window has, and when the last of them was due (epoch ms). Immutable. */
record WindowCount(long bids, long scheduleMs) {

    static final WindowCount EMPTY = new WindowCount(0, 0);

    WindowCount plus(long schedule) {
        return new WindowCount(bids + 1, Math.max(scheduleMs, schedule));
    }

    WindowCount plus(WindowCount other) {
        return new WindowCount(bids + other.bids, Math.max(scheduleMs, other.scheduleMs));
    }
}
