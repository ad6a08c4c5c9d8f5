package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.time.LocalDate;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Statistics per auction and day, a row at each bid; the last row of a key is the query's result.
 */
final class AuctionStatsFunction
        extends KeyedProcessFunction<Tuple2<Long, Long>, ScheduledEvent, Result> {

    private static final long DAY_STRIDE = 1L << 40;

    private final ServiceTime service;
    private final Ballast ballast;

    private transient ValueState<AuctionStats> state;

    AuctionStatsFunction(ServiceTime service, Ballast ballast) {
        this.service = service;
        this.ballast = ballast;
    }

    @Override
    public void open(OpenContext context) {
        state =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "stats", Types.POJO(AuctionStats.class)));
        ballast.open(getRuntimeContext());
    }

    @Override
    public void processElement(ScheduledEvent event, Context context, Collector<Result> out)
            throws Exception {
        long auction = context.getCurrentKey().f0;
        long day = context.getCurrentKey().f1;
        long seed = auction + day * DAY_STRIDE;
        if (event.isPreload()) {
            ballast.preload(seed);
            return;
        }
        service.serve(event, auction);
        AuctionStats stats = state.value();
        ballast.use(seed, stats == null);
        stats = stats == null ? new AuctionStats() : stats;
        stats.add(event.bid().price());
        state.update(stats);
        String date = LocalDate.ofEpochDay(day).toString();
        out.collect(
                new Result(
                        row(auction, date, stats),
                        auction + "|" + date,
                        event.scheduleMs(),
                        stats.totalBids));
    }

    private static String row(long auction, String date, AuctionStats stats) {
        return Json.of("q17")
                .put("auction", auction)
                .put("day", date)
                .put("total_bids", stats.totalBids)
                .put("rank1_bids", stats.rank1Bids)
                .put("rank2_bids", stats.rank2Bids)
                .put("rank3_bids", stats.rank3Bids)
                .put("min_price", stats.minPrice)
                .put("max_price", stats.maxPrice)
                .put("avg_price", stats.sumPrice / stats.totalBids)
                .put("sum_price", stats.sumPrice)
                .end();
    }
}
