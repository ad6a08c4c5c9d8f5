package dev.drrs.nexmark.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Event.Preload;
import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class TopicSourceTest {

    private static final String BID =
            "{\"e\":7,\"t\":70,\"ts\":1070,\"y\":\"b\",\"auction\":1,\"bidder\":2,\"price\":3}";

    @Test
    void itEndsOnlyIfItIsKnownHowManyEventsThereAreAndTheJobDoesNotStay() {
        assertThat(boundedness("--events", "5")).isEqualTo(Boundedness.BOUNDED);
        assertThat(boundedness()).isEqualTo(Boundedness.CONTINUOUS_UNBOUNDED);
        assertThat(boundedness("--events", "5", "--hold", "true"))
                .isEqualTo(Boundedness.CONTINUOUS_UNBOUNDED);
    }

    @Test
    void thePartitionsEndWhereTheirEventsDo() {
        List<TopicPartition> partitions =
                IntStream.range(0, 3).mapToObj(number -> new TopicPartition("t", number)).toList();
        // Events 0 .. 7 and keys 0 .. 3, dealt out in turn.
        assertThat(new PartitionEnds(8, 4).getPartitionOffsets(partitions, null))
                .isEqualTo(
                        Map.of(
                                partitions.get(0), 3L + 2, //
                                partitions.get(1), 3L + 1,
                                partitions.get(2), 2L + 1));
    }

    @Test
    void anEventIsDueAtItsRecordsTimeStamp() throws IOException {
        assertThat(read(BID))
                .containsExactly(new ScheduledEvent(5000, new Bid(7, 70, 1070, 1, 2, 3)));
        assertThat(read("{\"y\":\"k\",\"key\":9,\"ts\":1000}"))
                .containsExactly(new ScheduledEvent(ScheduledEvent.NONE, new Preload(9, 1000)));
    }

    @Test
    void aRecordThatIsNoEventIsNamed() {
        for (String value :
                new String[] {"nonsense", "{\"y\":\"x\",\"e\":1,\"t\":1,\"ts\":1}", null}) {
            assertThatThrownBy(() -> read(value))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("Record 12 of partition 2 of topic t");
        }
    }

    @Test
    void eventTimeFollowsTheEventsAndNotWhatMakesState() {
        Emitted emitted = new Emitted();
        WatermarkGenerator<ScheduledEvent> generator =
                new EventTime(10, 100).createWatermarkGenerator(null);
        generator.onEvent(new ScheduledEvent(0, new Preload(1, 9000)), 9000, emitted);
        generator.onPeriodicEmit(emitted);
        assertThat(emitted.watermarks).isEmpty();
        for (long timestamp : new long[] {1000, 1050, 1040, 1100}) {
            generator.onEvent(bid(timestamp), timestamp, emitted);
        }
        assertThat(emitted.watermarks).containsExactly(989L, 1089L);
        generator.onEvent(bid(1120), 1120, emitted);
        generator.onPeriodicEmit(emitted);
        generator.onPeriodicEmit(emitted);
        assertThat(emitted.watermarks).containsExactly(989L, 1089L, 1109L);
    }

    private static Boundedness boundedness(String... more) {
        List<String> given = new ArrayList<>(List.of("--output", "o", "--kafka", "localhost:1"));
        given.addAll(List.of(more));
        return TopicSource.of(Arguments.parse(given.toArray(String[]::new)), "").getBoundedness();
    }

    private static List<ScheduledEvent> read(String value) throws IOException {
        List<ScheduledEvent> found = new ArrayList<>();
        byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
        new EventRecords()
                .deserialize(
                        new ConsumerRecord<>(
                                "t",
                                2,
                                12,
                                5000,
                                TimestampType.CREATE_TIME,
                                0,
                                0,
                                null,
                                bytes,
                                new RecordHeaders(),
                                Optional.empty()),
                        new ListCollector<>(found));
        return found;
    }

    private static ScheduledEvent bid(long timestamp) {
        return new ScheduledEvent(1, new Bid(1, 1, timestamp, 1, 1, 1));
    }

    private static final class Emitted implements WatermarkOutput {
        private final List<Long> watermarks = new ArrayList<>();

        @Override
        public void emitWatermark(Watermark watermark) {
            watermarks.add(watermark.getTimestamp());
        }

        @Override
        public void markIdle() {}

        @Override
        public void markActive() {}
    }
}
