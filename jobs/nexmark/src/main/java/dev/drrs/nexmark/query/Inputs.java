package dev.drrs.nexmark.query;

import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** The streams that a query reads: the events of each kind, of one source or of two. */
public final class Inputs {

    private final Arguments arguments;
    private final DataStream<ScheduledEvent> source;
    private final DataStream<ScheduledEvent> second;
    private final String suffix;

    /**
     * Adds nothing to the job yet.
     *
     * @param second null = there is none
     * @param suffix of the uids of what stands behind {@code source}
     */
    public Inputs(
            Arguments arguments,
            DataStream<ScheduledEvent> source,
            DataStream<ScheduledEvent> second,
            String suffix) {
        this.arguments = arguments;
        this.source = source;
        this.second = second;
        this.suffix = suffix;
    }

    /** Bids and preload events. To be asked for once, as each of the others. */
    public DataStream<ScheduledEvent> bids() {
        return of(EventKind.BIDS, "relay");
    }

    DataStream<ScheduledEvent> auctions() {
        return of(EventKind.AUCTIONS, "relay-auctions");
    }

    DataStream<ScheduledEvent> persons() {
        return of(EventKind.PERSONS, "relay-persons");
    }

    /** Parallelism of the source and of what is chained to it. */
    int parallelism() {
        return arguments.integer(Options.SOURCE_PARALLELISM);
    }

    private DataStream<ScheduledEvent> of(EventKind kind, String relay) {
        DataStream<ScheduledEvent> first = only(kind, source, kind.uid() + suffix);
        if (second == null) {
            return first;
        }
        // Behind an operator of its own: the union has inputs of different tasks and parallelisms.
        return first.union(
                only(kind, second, kind.uid() + "-2")
                        .rebalance()
                        .map(event -> event, ScheduledEventSerializer.TYPE)
                        .uid(relay)
                        .name(relay)
                        .setParallelism(parallelism() + 1));
    }

    private SingleOutputStreamOperator<ScheduledEvent> only(
            EventKind kind, DataStream<ScheduledEvent> events, String uid) {
        return events.filter(kind).uid(uid).name(uid).setParallelism(parallelism());
    }
}
