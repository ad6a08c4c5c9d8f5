package dev.drrs.runtime;

import org.apache.flink.configuration.Configuration;

/**
 * How much of a subtask's time a rescale may take while there is other work: after each piece it
 * rests so long that its share is not above this one. Immutable, any thread.
 *
 * @param share above 0, at most 1; 1 for no rest
 */
public record LostService(double share) {

    public LostService {
        String fault = fault(share);
        if (fault != null) {
            throw new IllegalArgumentException(fault);
        }
    }

    public static LostService of(Configuration options) {
        return new LostService(options.get(DrrsOptions.LOST_SERVICE));
    }

    /** Why the option's value cannot be taken, or null. */
    public static String fault(Configuration options) {
        return fault(options.get(DrrsOptions.LOST_SERVICE));
    }

    private static String fault(double share) {
        return share > 0 && share <= 1 // so NaN is none either
                ? null
                : DrrsOptions.LOST_SERVICE.key()
                        + " is "
                        + share
                        + ": give it a share above 0 and at most 1, as "
                        + DrrsOptions.LOST_SERVICE.defaultValue()
                        + ".";
    }

    /** This one, or more for what is urgent. */
    public LostService atLeast(double urgent) {
        return new LostService(Math.max(share, urgent));
    }

    /**
     * The shortest rest after so much work.
     *
     * @param work nanoseconds
     * @return nanoseconds
     */
    public long restAfter(long work) {
        return Math.round(work * ((1 - share) / share));
    }
}
