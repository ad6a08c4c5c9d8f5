package dev.drrs.protocol;

/**
 * A part of a key group: its keys are divided by a second hash, which is the host's, so that a few
 * of them can arrive before the others do. Immutable, any thread.
 *
 * @param number from 0
 * @param of how many bins a key group has, at least 1
 */
public record Bin(int number, int of) {

    /** A key group as a whole. */
    public static final Bin ALL = new Bin(0, 1);

    public Bin {
        if (number < 0 || number >= of) {
            throw new IllegalArgumentException("bin " + number + " of " + of);
        }
    }
}
