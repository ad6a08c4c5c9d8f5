package dev.drrs.protocol;

import dev.drrs.protocol.NumberOptions.Option;
import java.util.Map;

/**
 * State through shared storage, as in systems that keep it apart from their workers: all key groups
 * change their owner at once, and a part of their state is written to a file by the old owner and
 * read by the new one, first what a record or a timer that is due needs, the rest behind it.
 */
public final class RemoteStrategy extends StrategyWithOptions {

    static final String NAME = "remote";

    private static final FirstAccessOptions FIRST_ACCESS = new FirstAccessOptions(NAME);

    public static final String KEY_GROUPS = FIRST_ACCESS.named("key-groups");
    public static final String BATCH = FIRST_ACCESS.batch();
    public static final String BINS = FIRST_ACCESS.bins();
    public static final String SET_ASIDE_RECORDS = FIRST_ACCESS.setAsideRecords();
    public static final String SET_ASIDE_BYTES = FIRST_ACCESS.setAsideBytes();

    /** What waits for its file holds up what its subscale has re-routed, and nothing else. */
    public static final int DEFAULT_KEY_GROUPS = 1;

    /** A file takes its time to be opened and closed, whatever is in it: several at a time. */
    public static final int DEFAULT_BATCH = 4;

    public static final int DEFAULT_BINS = 1;

    private static final NumberOptions OPTIONS =
            FIRST_ACCESS.with(
                    new Option(1, 1024, DEFAULT_BATCH),
                    DEFAULT_BINS,
                    KEY_GROUPS,
                    FirstAccessOptions.keyGroups(DEFAULT_KEY_GROUPS));

    RemoteStrategy() {
        super(OPTIONS);
    }

    @Override
    Policies policiesOf(Map<String, Long> values) {
        Units units = new Batches(values.get(KEY_GROUPS).intValue());
        return FIRST_ACCESS.policies(values, units, true, Transport.STORAGE);
    }
}
