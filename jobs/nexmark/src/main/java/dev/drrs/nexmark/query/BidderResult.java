package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** How many bids of a bidder a window has. A session ends a gap after the last bid. */
final class BidderResult extends ProcessWindowFunction<WindowCount, Result, Long, TimeWindow> {

    private final String query;

    BidderResult(String query) {
        this.query = query;
    }

    @Override
    public void process(
            Long bidder, Context context, Iterable<WindowCount> counts, Collector<Result> out) {
        WindowCount count = counts.iterator().next();
        String json =
                Json.of(query)
                        .put("bidder", bidder)
                        .put("bid_count", count.bids())
                        .put("start_time", context.window().getStart())
                        .put("end_time", context.window().getEnd())
                        .end();
        out.collect(new Result(json, Long.toString(bidder), count.scheduleMs(), 0));
    }
}
