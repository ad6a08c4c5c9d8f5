package dev.drrs.nexmark.kafka;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

/**
 * Where each partition ends, known before it is written: partition i of n has the events whose
 * number is i mod n, behind as many of the keys that have state beforehand. Nothing else is in the
 * topic, so an offset is a count.
 *
 * @param events how many there are in all, numbered from 0 on
 * @param preloadKeys how many keys get state before the first event
 */
record PartitionEnds(long events, long preloadKeys) implements OffsetsInitializer {

    @Override
    public Map<TopicPartition, Long> getPartitionOffsets(
            Collection<TopicPartition> partitions, PartitionOffsetsRetriever retriever) {
        Map<TopicPartition, Long> ends = new HashMap<>();
        for (TopicPartition partition : partitions) {
            ends.put(partition, end(partition.partition(), partitions.size()));
        }
        return ends;
    }

    private long end(int partition, int partitions) {
        return share(preloadKeys, partition, partitions) + share(events, partition, partitions);
    }

    private static long share(long all, int partition, int partitions) {
        return (all - partition + partitions - 1) / partitions;
    }

    // Kafka has deprecated the class that Flink's interface names.
    @Override
    @SuppressWarnings("deprecation")
    public OffsetResetStrategy getAutoOffsetResetStrategy() {
        return OffsetResetStrategy.NONE;
    }
}
