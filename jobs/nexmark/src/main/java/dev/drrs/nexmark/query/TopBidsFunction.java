package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * The ten highest bids of an auction, of equal ones the earliest; a row with all of them at each
 * bid. The last row of a key is the query's result.
 */
final class TopBidsFunction extends KeyedProcessFunction<Long, ScheduledEvent, Result> {

    private static final int KEPT = 10;

    private static final Comparator<ScheduledEvent> RANK =
            Comparator.<ScheduledEvent>comparingLong(event -> -event.bid().price())
                    .thenComparingLong(event -> event.bid().timestamp())
                    .thenComparingLong(event -> event.bid().number())
                    .thenComparingLong(event -> event.bid().bidder());

    private final ServiceTime service;

    private transient ListState<ScheduledEvent> top;
    private transient ValueState<Long> count;

    TopBidsFunction(ServiceTime service) {
        this.service = service;
    }

    @Override
    public void open(OpenContext context) {
        top =
                getRuntimeContext()
                        .getListState(
                                new ListStateDescriptor<>("top", ScheduledEventSerializer.TYPE));
        count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
    }

    @Override
    public void processElement(ScheduledEvent event, Context context, Collector<Result> out)
            throws Exception {
        long auction = context.getCurrentKey();
        service.serve(event, auction);
        long n = count.value() == null ? 1 : count.value() + 1;
        count.update(n);
        List<ScheduledEvent> bids = new ArrayList<>();
        top.get().forEach(bids::add);
        bids.add(event);
        bids.sort(RANK);
        if (bids.size() > KEPT) {
            bids.remove(KEPT);
        }
        top.update(bids);
        String json =
                Json.of("q19").put("auction", auction).put("n", n).put("top", text(bids)).end();
        out.collect(new Result(json, Long.toString(auction), event.scheduleMs(), n));
    }

    private static String text(List<ScheduledEvent> bids) {
        return bids.stream()
                .map(ScheduledEvent::bid)
                .map(TopBidsFunction::text)
                .collect(Collectors.joining(" "));
    }

    private static String text(Bid bid) {
        return bid.price() + "/" + bid.bidder();
    }
}
