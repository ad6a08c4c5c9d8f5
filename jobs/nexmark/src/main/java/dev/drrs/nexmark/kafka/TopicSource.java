package dev.drrs.nexmark.kafka;

import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;

/**
 * Events that somebody else writes to a topic, in time: Flink's own source for Kafka, which has its
 * own splits, offsets and end. Its classes are in the larger of the two job jars only.
 */
public final class TopicSource {

    /** Partitions are those that the topic has when the job starts. */
    private static final String NO_DISCOVERY = "-1";

    private TopicSource() {}

    /**
     * The source that the arguments ask for. Bounded if they say how many events there are, and not
     * that the job stays.
     *
     * @param suffix of the consumer group, which is named after the topic: each source of a job has
     *     one of its own
     */
    public static KafkaSource<ScheduledEvent> of(Arguments arguments, String suffix) {
        String topic = arguments.text(Options.KAFKA_TOPIC);
        KafkaSourceBuilder<ScheduledEvent> builder =
                KafkaSource.<ScheduledEvent>builder()
                        .setBootstrapServers(arguments.text(Options.KAFKA))
                        .setTopics(topic)
                        .setGroupId(topic + suffix)
                        .setStartingOffsets(OffsetsInitializer.earliest())
                        .setDeserializer(new EventRecords());
        long events = arguments.number(Options.EVENTS);
        if (events > 0 && !arguments.flag(Options.HOLD)) {
            builder.setBounded(new PartitionEnds(events, arguments.number(Options.PRELOAD_KEYS)));
        } else {
            builder.setProperty("partition.discovery.interval.ms", NO_DISCOVERY);
        }
        return builder.build();
    }

    /** Event time of each partition by itself, as its events are in order. */
    public static WatermarkStrategy<ScheduledEvent> eventTime(Arguments arguments) {
        return new EventTime(
                arguments.number(Options.OUT_OF_ORDERNESS_MS),
                arguments.number(Options.WATERMARK_INTERVAL_MS));
    }
}
