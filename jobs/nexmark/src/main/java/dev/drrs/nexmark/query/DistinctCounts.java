package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Of a channel and a day: how many bids, bidders and auctions, in all and of each rank of prices,
 * and the last minute of the day with a bid. A row at each bid; the last row of a key is the
 * query's result.
 */
final class DistinctCounts
        extends KeyedProcessFunction<Tuple2<String, String>, ScheduledEvent, Result> {

    private static final int BIDS = 0;
    private static final int BIDDERS = 4;
    private static final int AUCTIONS = 8;
    private static final int LATEST = 12;
    private static final int NUMBERS = 13;
    private static final long MINUTE_MS = 60_000;
    private static final long MINUTES = 60;
    private static final long HOURS = 24;

    private final String query;
    private final ServiceTime service;

    /** From {@link #BIDS}, {@link #BIDDERS} and {@link #AUCTIONS}: in all, rank 1, 2, 3. */
    private transient ValueState<long[]> numbers;

    /** Of each bidder and auction a bit for each rank it has been seen with. */
    private transient MapState<Long, Integer> bidders;

    private transient MapState<Long, Integer> auctions;

    DistinctCounts(String query, ServiceTime service) {
        this.query = query;
        this.service = service;
    }

    @Override
    public void open(OpenContext context) {
        numbers =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "numbers",
                                        PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO));
        bidders = seen("bidders");
        auctions = seen("auctions");
    }

    private MapState<Long, Integer> seen(String name) {
        return getRuntimeContext()
                .getMapState(new MapStateDescriptor<>(name, Types.LONG, Types.INT));
    }

    @Override
    public void processElement(ScheduledEvent event, Context context, Collector<Result> out)
            throws Exception {
        service.serve(event, event.bid().auction());
        int rank = PriceRank.of(event.bid().price());
        long[] before = numbers.value();
        long[] now = before == null ? new long[NUMBERS] : before.clone();
        now[BIDS]++;
        now[BIDS + rank]++;
        count(now, BIDDERS, rank, bidders, event.bid().bidder());
        count(now, AUCTIONS, rank, auctions, event.bid().auction());
        now[LATEST] = Math.max(now[LATEST], event.bid().timestamp());
        numbers.update(now);
        Tuple2<String, String> key = context.getCurrentKey();
        out.collect(
                new Result(row(key, now), key.f0 + "|" + key.f1, event.scheduleMs(), now[BIDS]));
    }

    private static void count(
            long[] numbers, int first, int rank, MapState<Long, Integer> seen, long id)
            throws Exception {
        int ranks = seen.contains(id) ? seen.get(id) : 0;
        if (ranks == 0) {
            numbers[first]++;
        }
        if ((ranks & 1 << rank) == 0) {
            numbers[first + rank]++;
            seen.put(id, ranks | 1 << rank);
        }
    }

    private String row(Tuple2<String, String> key, long[] numbers) {
        long minute = Math.floorDiv(numbers[LATEST], MINUTE_MS);
        Json json =
                Json.of(query)
                        .put("channel", key.f0)
                        .put("day", key.f1)
                        .put("minute", minute % (MINUTES * HOURS));
        put(json, numbers, BIDS, "bids");
        put(json, numbers, BIDDERS, "bidders");
        put(json, numbers, AUCTIONS, "auctions");
        return json.end();
    }

    private static void put(Json json, long[] numbers, int first, String what) {
        json.put("total_" + what, numbers[first]);
        for (int rank = 1; rank <= 3; rank++) {
            json.put("rank" + rank + "_" + what, numbers[first + rank]);
        }
    }
}
