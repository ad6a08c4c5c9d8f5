package dev.drrs.nexmark.query;

import dev.drrs.nexmark.source.ScheduledEvent;
import java.util.List;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** The highest bids of a key in a window. */
final class HighestOfBidder
        extends ProcessWindowFunction<List<ScheduledEvent>, ScheduledEvent, Long, TimeWindow> {

    @Override
    public void process(
            Long bidder,
            Context context,
            Iterable<List<ScheduledEvent>> bids,
            Collector<ScheduledEvent> out) {
        HighestBids.of(bids.iterator().next()).forEach(out::collect);
    }
}
