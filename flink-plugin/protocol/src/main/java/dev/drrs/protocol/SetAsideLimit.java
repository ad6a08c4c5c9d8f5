package dev.drrs.protocol;

/**
 * Records are set aside, so that others may overtake them: record scheduling. How much a new owner
 * may set aside, on all channels, before it stops reading one. Soft: the element that goes over the
 * limit is still taken, and so is what the host cannot leave in the channel.
 *
 * @param records elements (records, and watermarks and statuses between them), 0 or more
 * @param bytes sum of the sizes the host gives, 0 or more
 */
public record SetAsideLimit(long records, long bytes) implements WaitRule {

    public SetAsideLimit {
        if (records < 0 || bytes < 0) {
            throw new IllegalArgumentException(
                    "negative set-aside limit: " + records + " records, " + bytes + " bytes");
        }
    }

    @Override
    public boolean channelsWait(long ofThemRecords, long setAside, long bytesOfThem) {
        return setAside > records || bytesOfThem > bytes;
    }
}
