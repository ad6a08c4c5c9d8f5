package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.util.List;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Each bid of a person with the person and each auction of theirs: a join of three streams on one
 * key, without windows. The key is the person's id. Which rows there are in the end does not depend
 * on the order of arrival.
 */
final class BidderSellerFunction extends KeyedProcessFunction<Long, ScheduledEvent, Result> {

    private final ServiceTime service;

    private transient ListState<ScheduledEvent> bids;
    private transient ListState<ScheduledEvent> persons;
    private transient ListState<ScheduledEvent> auctions;

    BidderSellerFunction(ServiceTime service) {
        this.service = service;
    }

    @Override
    public void open(OpenContext context) {
        bids = events("bids");
        persons = events("persons");
        auctions = events("auctions");
    }

    private ListState<ScheduledEvent> events(String name) {
        return getRuntimeContext()
                .getListState(new ListStateDescriptor<>(name, ScheduledEventSerializer.TYPE));
    }

    @Override
    public void processElement(ScheduledEvent event, Context context, Collector<Result> out)
            throws Exception {
        service.serve(event, context.getCurrentKey());
        Iterable<ScheduledEvent> ofBids = bids.get();
        Iterable<ScheduledEvent> ofPersons = persons.get();
        Iterable<ScheduledEvent> ofAuctions = auctions.get();
        // The rows that this event is in: with all that have come before of the other kinds.
        if (event.isBid()) {
            ofBids = List.of(event);
        } else if (event.event() instanceof Event.Person) {
            ofPersons = List.of(event);
        } else {
            ofAuctions = List.of(event);
        }
        for (ScheduledEvent person : ofPersons) {
            for (ScheduledEvent auction : ofAuctions) {
                for (ScheduledEvent bid : ofBids) {
                    String json = row(bid.bid(), person.person(), auction.auction());
                    String key = Long.toString(context.getCurrentKey());
                    out.collect(new Result(json, key, event.scheduleMs(), 0));
                }
            }
        }
        keep(event);
    }

    private void keep(ScheduledEvent event) throws Exception {
        if (event.isBid()) {
            bids.add(event);
        } else if (event.event() instanceof Event.Person) {
            persons.add(event);
        } else {
            auctions.add(event);
        }
    }

    private static String row(Event.Bid bid, Event.Person person, Event.Auction auction) {
        return Json.of("q23")
                .put("bidder", bid.bidder())
                .put("price", bid.price())
                .put("at", bid.timestamp())
                .put("name", person.name())
                .put("city", person.city())
                .put("state", person.state())
                .put("auction", auction.id())
                .put("category", auction.category())
                .put("expires", auction.expires())
                .end();
    }
}
