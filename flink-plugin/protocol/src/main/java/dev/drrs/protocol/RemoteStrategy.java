package dev.drrs.protocol;

import dev.drrs.protocol.NumberOptions.Option;
import java.util.Map;

/**
 * State through shared storage, as in systems that keep it apart from their workers: all key groups
 * change their owner at once, and a part of their state is written to a file by the old owner and
 * read by the new one, first what a record or a timer that is due needs, the rest behind it.
 */
public final class RemoteStrategy extends StrategyWithOptions {

    public static final String KEY_GROUPS = "drrs.remote.key-groups";
    public static final String BATCH = "drrs.remote.batch";
    public static final String BINS = "drrs.remote.bins";
    public static final String SET_ASIDE_RECORDS = "drrs.remote.set-aside.records";
    public static final String SET_ASIDE_BYTES = "drrs.remote.set-aside.bytes";

    /** What waits for its file holds up what its subscale has re-routed, and nothing else. */
    public static final int DEFAULT_KEY_GROUPS = 1;

    /** A file takes its time to be opened and closed, whatever is in it: several at a time. */
    public static final int DEFAULT_BATCH = 4;

    public static final int DEFAULT_BINS = 1;

    static final String NAME = "remote";

    private static final NumberOptions OPTIONS =
            new NumberOptions(
                    NAME,
                    Map.of(
                            KEY_GROUPS,
                            new Option(1, 32768, DEFAULT_KEY_GROUPS),
                            BATCH,
                            new Option(1, 1024, DEFAULT_BATCH),
                            BINS,
                            new Option(1, 1024, DEFAULT_BINS),
                            SET_ASIDE_RECORDS,
                            new Option(0, Long.MAX_VALUE, DrrsStrategy.DEFAULT_SET_ASIDE_RECORDS),
                            SET_ASIDE_BYTES,
                            new Option(0, Long.MAX_VALUE, DrrsStrategy.DEFAULT_SET_ASIDE_BYTES)));

    RemoteStrategy() {
        super(OPTIONS);
    }

    @Override
    Policies policiesOf(Map<String, Long> values) {
        return new Policies(
                new Batches(values.get(KEY_GROUPS).intValue()),
                new AllAtOnce(),
                new DirectSignals(),
                new OnFirstAccess(
                        new FetchOnDemand(
                                values.get(BATCH).intValue(), values.get(BINS).intValue()),
                        true),
                new SetAsideLimit(values.get(SET_ASIDE_RECORDS), values.get(SET_ASIDE_BYTES)),
                CopyAhead.NONE,
                Transport.STORAGE);
    }
}
