package dev.drrs.nexmark.kafka;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.Event.Preload;
import dev.drrs.nexmark.source.EventLine;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record's value is a line of the data set, its time stamp the wall clock at which the event is
 * due: latency counts from there, the broker's share included.
 */
final class EventRecords implements KafkaRecordDeserializationSchema<ScheduledEvent> {

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<ScheduledEvent> out)
            throws IOException {
        byte[] line = record.value();
        if (line == null) {
            throw new IOException(placeOf(record) + " has no value, and so no event");
        }
        Event event;
        try {
            event = EventLine.parse(line, line.length);
        } catch (IllegalArgumentException e) {
            throw new IOException(placeOf(record) + ": " + e.getMessage(), e);
        }
        long due = event instanceof Preload ? ScheduledEvent.NONE : record.timestamp();
        out.collect(new ScheduledEvent(due, event));
    }

    private static String placeOf(ConsumerRecord<?, ?> record) {
        return "Record "
                + record.offset()
                + " of partition "
                + record.partition()
                + " of topic "
                + record.topic();
    }

    @Override
    public TypeInformation<ScheduledEvent> getProducedType() {
        return ScheduledEventSerializer.TYPE;
    }
}
