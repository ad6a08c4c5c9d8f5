package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** The highest bids of a window, of those of all keys. */
final class HighestOfAll extends ProcessWindowFunction<ScheduledEvent, Result, Long, TimeWindow> {

    @Override
    public void process(
            Long window, Context context, Iterable<ScheduledEvent> bids, Collector<Result> out) {
        for (ScheduledEvent highest : HighestBids.of(bids)) {
            String json =
                    Json.of("q7")
                            .put("auction", highest.bid().auction())
                            .put("bidder", highest.bid().bidder())
                            .put("price", highest.bid().price())
                            .put("at", highest.bid().timestamp())
                            .put("window_end", context.window().getEnd())
                            .end();
            String key = Long.toString(highest.bid().auction());
            out.collect(new Result(json, key, highest.scheduleMs(), 0));
        }
    }
}
