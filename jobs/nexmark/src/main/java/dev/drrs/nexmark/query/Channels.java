package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.SplitMix64;

/**
 * The channel that a bid came by. The events have none, as in Beam; so it is made of the bid's
 * number: half of the bids come by one of four, the others by one of ten thousand.
 */
final class Channels {

    private static final String[] LARGE = {"Google", "Facebook", "Baidu", "Apple"};
    private static final long SMALL = 10_000;

    private Channels() {}

    /** The channel of the bid of this number. */
    static String of(long number) {
        long drawn = SplitMix64.mix(number);
        return (drawn & 1) == 0
                ? LARGE[(int) (drawn >>> 1 & 3)]
                : "channel-" + (drawn >>> 1) % SMALL;
    }
}
