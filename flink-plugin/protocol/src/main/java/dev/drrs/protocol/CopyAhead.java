package dev.drrs.protocol;

/**
 * Whether an old owner sends a copy of its key groups before they leave, so that only what has
 * changed since is left to be sent then.
 *
 * @param window bytes of copies that an old owner may have at new owners at a time; a subscale that
 *     is larger goes alone. 0: nothing is copied ahead
 * @param rate bytes per second that an old owner sends of copies, as they travel. 0: as many as it
 *     can
 */
public record CopyAhead(long window, long rate) {

    public static final CopyAhead NONE = new CopyAhead(0, 0);

    public CopyAhead {
        if (window < 0 || rate < 0) {
            throw new IllegalArgumentException(
                    "copies ahead with a window of " + window + " and a rate of " + rate);
        }
    }

    public boolean isWanted() {
        return window > 0;
    }
}
