package dev.drrs.nexmark.generator;

/** How the random source of an event is seeded. */
public enum Mode {
    /**
     * By the event number alone, as Beam does: the published oracle values hold, but near events
     * look alike.
     */
    BEAM {
        @Override
        long seedOf(long seed, long number) {
            return number;
        }
    },
    /**
     * By output {@code number + 1} of SplitMix64 started at the run's seed: well mixed, for
     * statistics.
     */
    MIXED {
        @Override
        long seedOf(long seed, long number) {
            return SplitMix64.mix(seed + (number + 1) * SplitMix64.GAMMA);
        }
    };

    abstract long seedOf(long seed, long number);
}
