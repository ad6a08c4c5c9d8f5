package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.TaskMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.ElasticInput;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.streaming.runtime.io.AbstractStreamTaskNetworkInput;
import org.apache.flink.streaming.runtime.io.DataInputStatus;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;

/**
 * Sees elements, with the channel they came on, before the operator does, and takes out the
 * plug-in's own events. Flink would ignore those; and its record attributes would wait for dormant
 * producers.
 */
final class InputElements extends WovenPoint {

    private static final String OUTPUT =
            "Lorg/apache/flink/streaming/runtime/io/PushingAsyncDataInput$DataOutput;";

    InputElements() {
        super(
                "input-elements",
                "org.apache.flink.streaming.runtime.io.AbstractStreamTaskNetworkInput",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/streaming/runtime/io/checkpointing/CheckpointedInputGate;"
                                                + "Lorg/apache/flink/api/common/typeutils/TypeSerializer;"
                                                + "Lorg/apache/flink/streaming/runtime/watermarkstatus/StatusWatermarkValve;"
                                                + "ILjava/util/Map;"
                                                + "Lorg/apache/flink/streaming/runtime/tasks/StreamTask$CanEmitBatchOfRecordsChecker;"
                                                + "Ljava/util/Set;)V"),
                                Created.class),
                        new Woven(
                                Member.of(
                                        "processElement",
                                        "(Lorg/apache/flink/streaming/runtime/streamrecord/StreamElement;"
                                                + OUTPUT
                                                + ")Z"),
                                Element.class),
                        new Woven(
                                Member.of(
                                        "processEvent",
                                        "(Lorg/apache/flink/runtime/io/network/partition/consumer/BufferOrEvent;"
                                                + OUTPUT
                                                + ")Lorg/apache/flink/streaming/runtime/io/DataInputStatus;"),
                                Event.class)),
                List.of(
                        TaskMembers.LAST_CHANNEL,
                        TaskMembers.VALVE,
                        TaskMembers.ATTRIBUTES_COMBINER,
                        TaskMembers.WATERMARK_COMBINERS,
                        TaskMembers.INPUT_OUTPUT,
                        TaskMembers.PROCESSORS,
                        TaskMembers.UNDEFINED_CHANNELS,
                        TaskMembers.BACKLOG_CHANNELS,
                        TaskMembers.CHANNEL_ATTRIBUTES));
    }

    /** At the start, and again when recovery is over. */
    public static final class Created {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.This AbstractStreamTaskNetworkInput<?, ?> input,
                @Advice.Argument(2) StatusWatermarkValve valve) {
            ElasticInput.inputCreated(input, valve);
        }
    }

    /** For each element; one field read unless a rescale is under way. */
    public static final class Element {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.FieldValue("drrsHook") Object input,
                @Advice.FieldValue("lastChannel") InputChannelInfo channel,
                @Advice.Argument(0) StreamElement element,
                @Advice.Argument(1) DataOutput<?> output)
                throws Exception {
            return input != null && ElasticInput.take(input, element, channel, output);
        }
    }

    /** For each event. */
    public static final class Event {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static DataInputStatus enter(
                @Advice.FieldValue("statusWatermarkValve") StatusWatermarkValve valve,
                @Advice.Argument(0) BufferOrEvent event)
                throws Exception {
            return ElasticInput.event(valve, event);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.Enter DataInputStatus taken,
                @Advice.Return(readOnly = false) DataInputStatus status) {
            if (taken != null) {
                status = taken;
            }
        }
    }
}
