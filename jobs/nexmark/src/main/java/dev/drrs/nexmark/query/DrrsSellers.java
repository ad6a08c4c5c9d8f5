package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.util.List;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * How many new persons and how many auctions of theirs a window has; every pair of them is in the
 * join. Windows without a pair have a row as well: the numbers make runs in processing time
 * comparable, where the windows themselves depend on the run.
 */
final class DrrsSellers
        extends ProcessWindowFunction<List<ScheduledEvent>, Result, Long, TimeWindow> {

    private final String query;

    DrrsSellers(String query) {
        this.query = query;
    }

    @Override
    public void process(
            Long person,
            Context context,
            Iterable<List<ScheduledEvent>> gathered,
            Collector<Result> out) {
        List<ScheduledEvent> events = gathered.iterator().next();
        long due = events.stream().mapToLong(ScheduledEvent::scheduleMs).max().orElseThrow();
        long persons = events.stream().filter(ScheduledEvent::isPerson).count();
        long auctions = events.size() - persons;
        String json =
                Json.of(query)
                        .put("person", person)
                        .put("persons", persons)
                        .put("auctions", auctions)
                        .put("pairs", persons * auctions)
                        .put("window_start", context.window().getStart())
                        .put("window_end", context.window().getEnd())
                        .end();
        out.collect(new Result(json, Long.toString(person), due, 0));
    }
}
