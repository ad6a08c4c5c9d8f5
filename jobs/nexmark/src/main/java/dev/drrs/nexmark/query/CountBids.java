package dev.drrs.nexmark.query;

import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.functions.AggregateFunction;

/**
 * Counts the bids of a window; the service time is spent here, for window operators have no other
 * place for it.
 */
final class CountBids implements AggregateFunction<ScheduledEvent, WindowCount, WindowCount> {

    private final BidKey key;
    private final ServiceTime service;

    CountBids(BidKey key, ServiceTime service) {
        this.key = key;
        this.service = service;
    }

    @Override
    public WindowCount createAccumulator() {
        return WindowCount.EMPTY;
    }

    @Override
    public WindowCount add(ScheduledEvent event, WindowCount count) {
        service.serve(event, key.of(event.bid()));
        return count.plus(event.scheduleMs());
    }

    @Override
    public WindowCount getResult(WindowCount count) {
        return count;
    }

    @Override
    public WindowCount merge(WindowCount one, WindowCount other) {
        return one.plus(other);
    }
}
