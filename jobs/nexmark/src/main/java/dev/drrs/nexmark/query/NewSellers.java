package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.CoGroupFunction;
import org.apache.flink.util.Collector;

/** Persons who are new in a window and sell something in it: each name of each id once. */
final class NewSellers implements CoGroupFunction<ScheduledEvent, ScheduledEvent, Result> {

    private final long windowMs;

    NewSellers(long windowMs) {
        this.windowMs = windowMs;
    }

    @Override
    public void coGroup(
            Iterable<ScheduledEvent> persons,
            Iterable<ScheduledEvent> auctions,
            Collector<Result> out) {
        long due = Result.NO_LATENCY;
        for (ScheduledEvent auction : auctions) {
            due = Math.max(due, auction.scheduleMs());
        }
        if (!auctions.iterator().hasNext()) {
            return;
        }
        Set<String> names = new TreeSet<>();
        for (ScheduledEvent person : persons) {
            if (names.add(person.person().name())) {
                long start = Math.floorDiv(person.person().timestamp(), windowMs) * windowMs;
                String json =
                        Json.of("q8")
                                .put("id", person.person().id())
                                .put("name", person.person().name())
                                .put("window_start", start)
                                .end();
                String key = Long.toString(person.person().id());
                out.collect(new Result(json, key, Math.max(due, person.scheduleMs()), 0));
            }
        }
    }
}
