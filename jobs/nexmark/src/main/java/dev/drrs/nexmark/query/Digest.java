package dev.drrs.nexmark.query;

/** One 64-bit number for a sequence of numbers, simple enough to be recomputed in any language. */
final class Digest {

    static final long START = 17;

    private Digest() {}

    /** {@code 31 * digest + value}, modulo 2^64 and signed. */
    static long fold(long digest, long value) {
        return 31 * digest + value;
    }
}
