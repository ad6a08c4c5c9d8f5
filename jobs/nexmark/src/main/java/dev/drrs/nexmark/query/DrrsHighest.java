package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.util.List;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * Highest price of a bidder's bids in a window, and how many they are: the number makes runs in
 * processing time comparable, where the windows themselves depend on the run.
 */
final class DrrsHighest
        extends ProcessWindowFunction<List<ScheduledEvent>, Result, Long, TimeWindow> {

    private final String query;

    DrrsHighest(String query) {
        this.query = query;
    }

    @Override
    public void process(
            Long bidder,
            Context context,
            Iterable<List<ScheduledEvent>> gathered,
            Collector<Result> out) {
        List<ScheduledEvent> bids = gathered.iterator().next();
        long due = bids.stream().mapToLong(ScheduledEvent::scheduleMs).max().orElseThrow();
        String json =
                Json.of(query)
                        .put("bidder", bidder)
                        .put("price", HighestBids.of(bids).get(0).bid().price())
                        .put("bids", bids.size())
                        .put("window_start", context.window().getStart())
                        .put("window_end", context.window().getEnd())
                        .end();
        out.collect(new Result(json, Long.toString(bidder), due, 0));
    }
}
