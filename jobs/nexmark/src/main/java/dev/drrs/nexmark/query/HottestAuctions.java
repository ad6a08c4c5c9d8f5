package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * Of the auctions of one hop window, those with the most bids. The key is the end of the hop
 * window.
 */
final class HottestAuctions
        extends ProcessWindowFunction<Tuple4<Long, Long, Long, Long>, Result, Long, TimeWindow> {

    private final long hopSizeMs;

    HottestAuctions(long hopSizeMs) {
        this.hopSizeMs = hopSizeMs;
    }

    @Override
    public void process(
            Long windowEnd,
            Context context,
            Iterable<Tuple4<Long, Long, Long, Long>> counts,
            Collector<Result> out) {
        long most = 0;
        List<Tuple4<Long, Long, Long, Long>> hottest = new ArrayList<>();
        for (Tuple4<Long, Long, Long, Long> count : counts) {
            if (count.f1 > most) {
                most = count.f1;
                hottest.clear();
            }
            if (count.f1 == most) {
                hottest.add(count);
            }
        }
        for (Tuple4<Long, Long, Long, Long> count : hottest) {
            String json =
                    Json.of("q5")
                            .put("auction", count.f0)
                            .put("num", count.f1)
                            .put("window_start", windowEnd - hopSizeMs)
                            .put("window_end", windowEnd)
                            .end();
            out.collect(new Result(json, Long.toString(count.f0), count.f3, 0));
        }
    }
}
