package dev.drrs.runtime.state;

/**
 * Some of the keys of a key group: those that a second hash puts into one of a number of bins.
 * Immutable, any thread.
 *
 * @param number from 0
 * @param of how many bins a key group has, at least 1
 */
public record KeyBin(int number, int of) {

    /** All keys of a key group. */
    public static final KeyBin ALL = new KeyBin(0, 1);

    public KeyBin {
        if (number < 0 || number >= of) {
            throw new IllegalArgumentException("bin " + number + " of " + of);
        }
    }

    public boolean isAll() {
        return of == 1;
    }

    public boolean has(Object key) {
        return isAll() || numberOf(key, of) == number;
    }

    /**
     * The bin of a key: by the last step of MurmurHash3 (public domain) over its hash code, which
     * is begun otherwise than that for key groups, so that the keys of one key group are spread
     * over all bins. Keys have hash codes that are the same in all JVMs, as key groups need them.
     */
    public static int numberOf(Object key, int bins) {
        return ofHash(hash(key), bins);
    }

    /** The bin of a key with this {@link #hash}. */
    public static int ofHash(int hash, int bins) {
        return Integer.remainderUnsigned(hash, bins);
    }

    /** What the bin of a key goes by, whatever the number of bins. */
    public static int hash(Object key) {
        int h = key.hashCode() ^ 0x9E3779B9;
        h ^= h >>> 16;
        h *= 0x85EBCA6B;
        h ^= h >>> 13;
        h *= 0xC2B2AE35;
        h ^= h >>> 16;
        return h;
    }
}
