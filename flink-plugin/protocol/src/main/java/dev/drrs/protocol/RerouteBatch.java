package dev.drrs.protocol;

/**
 * How much of what an old owner sends on of a subscale travels together. A confirm is always sent
 * behind all of it, at once.
 *
 * @param bytes from which on it is sent, as the host gives them. 0: each record by itself
 * @param millis after which it is sent anyway
 */
public record RerouteBatch(long bytes, long millis) {

    public static final RerouteBatch NONE = new RerouteBatch(0, 0);

    public RerouteBatch {
        if (bytes < 0 || millis < 0) {
            throw new IllegalArgumentException(
                    "re-routed records sent at " + bytes + " bytes or after " + millis + " ms");
        }
    }

    boolean isWanted() {
        return bytes > 0;
    }
}
