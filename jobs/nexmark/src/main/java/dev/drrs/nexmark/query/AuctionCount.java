package dev.drrs.nexmark.query;

import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * Tells the auction and the window's end beside the count: (auction, bids, window end, schedule).
 */
final class AuctionCount
        extends ProcessWindowFunction<
                WindowCount, Tuple4<Long, Long, Long, Long>, Long, TimeWindow> {

    @Override
    public void process(
            Long auction,
            Context context,
            Iterable<WindowCount> counts,
            Collector<Tuple4<Long, Long, Long, Long>> out) {
        WindowCount count = counts.iterator().next();
        out.collect(
                Tuple4.of(auction, count.bids(), context.window().getEnd(), count.scheduleMs()));
    }
}
