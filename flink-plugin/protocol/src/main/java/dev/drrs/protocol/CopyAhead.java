package dev.drrs.protocol;

/**
 * Whether an old owner sends a copy of its key groups before they leave, so that only what has
 * changed since is left to be sent then.
 *
 * @param window bytes of copies that an old owner may have at new owners at a time; a subscale that
 *     is larger goes alone. 0: nothing is copied ahead
 */
public record CopyAhead(long window) {

    public static final CopyAhead NONE = new CopyAhead(0);

    public CopyAhead {
        if (window < 0) {
            throw new IllegalArgumentException("a negative window of copies: " + window);
        }
    }

    public boolean isWanted() {
        return window > 0;
    }
}
