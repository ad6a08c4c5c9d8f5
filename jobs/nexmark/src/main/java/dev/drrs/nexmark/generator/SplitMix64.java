package dev.drrs.nexmark.generator;

/**
 * The finalizer of the SplitMix64 generator; its n-th output for seed s is {@code mix(s + n *
 * GAMMA)}.
 */
public final class SplitMix64 {

    /** Increment of the generator's counter: 2^64 divided by the golden ratio, made odd. */
    public static final long GAMMA = 0x9E3779B97F4A7C15L;

    private SplitMix64() {}

    /** A bijection of the 64-bit values that spreads each input bit over all output bits. */
    public static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
