package dev.drrs.nexmark.query;

import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.ListTypeInfo;

/**
 * All events of a window: state of the size of the input. The service time is spent here, for
 * window operators have no other place for it.
 */
final class GatherEvents
        implements AggregateFunction<ScheduledEvent, List<ScheduledEvent>, List<ScheduledEvent>> {

    static final TypeInformation<List<ScheduledEvent>> TYPE =
            new ListTypeInfo<>(ScheduledEventSerializer.TYPE);

    private final KeySelector<ScheduledEvent, Long> key;
    private final ServiceTime service;

    GatherEvents(KeySelector<ScheduledEvent, Long> key, ServiceTime service) {
        this.key = key;
        this.service = service;
    }

    @Override
    public List<ScheduledEvent> createAccumulator() {
        return new ArrayList<>();
    }

    @Override
    public List<ScheduledEvent> add(ScheduledEvent event, List<ScheduledEvent> events) {
        service.serve(event, keyOf(event));
        events.add(event);
        return events;
    }

    private long keyOf(ScheduledEvent event) {
        try {
            return key.getKey(event);
        } catch (Exception e) {
            throw new IllegalStateException("No key of " + event, e);
        }
    }

    @Override
    public List<ScheduledEvent> getResult(List<ScheduledEvent> events) {
        return events;
    }

    @Override
    public List<ScheduledEvent> merge(List<ScheduledEvent> one, List<ScheduledEvent> other) {
        one.addAll(other);
        return one;
    }
}
