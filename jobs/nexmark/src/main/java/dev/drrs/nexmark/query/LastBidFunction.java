package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.util.Comparator;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * The last bid, by event time, of a bidder for an auction; a row at each bid, whichever comes last.
 * Of equal times the higher number is the later.
 */
final class LastBidFunction
        extends KeyedProcessFunction<Tuple2<Long, Long>, ScheduledEvent, Result> {

    private static final Comparator<Bid> TIME =
            Comparator.comparingLong(Bid::timestamp)
                    .thenComparingLong(Bid::number)
                    .thenComparingLong(Bid::price);

    private final ServiceTime service;

    private transient ValueState<ScheduledEvent> last;
    private transient ValueState<Long> count;

    LastBidFunction(ServiceTime service) {
        this.service = service;
    }

    @Override
    public void open(OpenContext context) {
        last =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>("last", ScheduledEventSerializer.TYPE));
        count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
    }

    @Override
    public void processElement(ScheduledEvent event, Context context, Collector<Result> out)
            throws Exception {
        service.serve(event, event.bid().auction());
        long n = count.value() == null ? 1 : count.value() + 1;
        count.update(n);
        if (n == 1 || TIME.compare(event.bid(), last.value().bid()) > 0) {
            last.update(event);
        }
        Bid bid = last.value().bid();
        String json =
                Json.of("q18")
                        .put("bidder", bid.bidder())
                        .put("auction", bid.auction())
                        .put("n", n)
                        .put("price", bid.price())
                        .put("at", bid.timestamp())
                        .end();
        String key = bid.bidder() + "|" + bid.auction();
        out.collect(new Result(json, key, event.scheduleMs(), n));
    }
}
