package dev.drrs.protocol;

/**
 * How much a new owner may set aside before it stops reading a channel. Soft: the element that goes
 * over the limit is still taken, and so is what the host cannot leave in the channel.
 *
 * @param records elements (records, and watermarks and statuses between them), 0 or more
 * @param bytes sum of the sizes the host gives, 0 or more
 * @param perChannel whether each channel has this share, or all share one pool
 */
public record SetAsideLimit(long records, long bytes, boolean perChannel) {

    public SetAsideLimit {
        if (records < 0 || bytes < 0) {
            throw new IllegalArgumentException(
                    "negative set-aside limit: " + records + " records, " + bytes + " bytes");
        }
    }
}
