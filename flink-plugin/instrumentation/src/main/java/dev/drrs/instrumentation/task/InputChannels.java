package dev.drrs.instrumentation.task;

import dev.drrs.flink.GateMembers;
import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.ElasticInputGate;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannel;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;

/**
 * Holds single channels of a gate, lets the channels of activated subtasks join in order, and ends
 * without the dormant ones. Without it elements could be read before the task counts their channel,
 * and bounded jobs would not end.
 */
final class InputChannels extends WovenPoint {

    private static final String CHANNEL =
            "Lorg/apache/flink/runtime/io/network/partition/consumer/InputChannel;";

    InputChannels() {
        super(
                "input-channels",
                "org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate",
                true,
                List.of(
                        new Woven(
                                Member.of("queueChannelUnsafe", "(" + CHANNEL + "Z)Z"),
                                Queue.class),
                        new Woven(
                                Member.of(
                                        "updateInputChannel",
                                        "(Lorg/apache/flink/runtime/clusterframework/types/ResourceID;"
                                                + "Lorg/apache/flink/runtime/shuffle/NettyShuffleDescriptor;)V"),
                                Update.class),
                        new Woven(
                                Member.of(
                                        "transformEvent",
                                        "(Lorg/apache/flink/runtime/io/network/buffer/Buffer;Z"
                                                + CHANNEL
                                                + "Z)Lorg/apache/flink/runtime/io/network/partition/consumer/BufferOrEvent;"),
                                Event.class),
                        new Woven(
                                Member.of("getUnfinishedChannels", "()Ljava/util/List;"),
                                Unfinished.class)),
                List.of(
                        GateMembers.REQUEST_LOCK,
                        GateMembers.WITH_DATA,
                        GateMembers.ENQUEUED,
                        GateMembers.ENDED_PARTITIONS,
                        GateMembers.ENDED_DATA,
                        GateMembers.CHANNELS_BY_PARTITION,
                        GateMembers.CHANNELS,
                        GateMembers.UNINITIALIZED,
                        GateMembers.LAST_PRIORITY,
                        GateMembers.NEW_UNKNOWN,
                        GateMembers.RELEASE,
                        GateMembers.QUEUE_CHANNEL));
    }

    /** For each notification of data, and for each buffer that is not the last of its channel. */
    public static final class Queue {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.FieldValue("drrsHook") Object gate,
                @Advice.Argument(0) InputChannel channel,
                @Advice.Argument(1) boolean priority) {
            return ElasticInputGate.holdsBack(gate, channel, priority);
        }
    }

    /** In a thread of the TaskManager. */
    public static final class Update {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.FieldValue("drrsHook") Object gate,
                @Advice.Argument(0) ResourceID taskManager,
                @Advice.Argument(1) NettyShuffleDescriptor producer) {
            ElasticInputGate.updating(gate, taskManager, producer);
        }

        @Advice.OnMethodExit
        public static void exit(@Advice.FieldValue("drrsHook") Object gate) {
            ElasticInputGate.updated(gate);
        }
    }

    /** Before the gate counts an end. */
    public static final class Event {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.FieldValue("drrsHook") Object gate,
                @Advice.Argument(0) Buffer event,
                @Advice.Argument(2) InputChannel channel) {
            ElasticInputGate.ending(gate, event, channel);
        }
    }

    /** When all predecessors have ended and a checkpoint is triggered here. */
    public static final class Unfinished {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.FieldValue("drrsHook") Object gate,
                @Advice.Return(readOnly = false) List<InputChannelInfo> channels) {
            channels = ElasticInputGate.unfinished(gate, channels);
        }
    }
}
