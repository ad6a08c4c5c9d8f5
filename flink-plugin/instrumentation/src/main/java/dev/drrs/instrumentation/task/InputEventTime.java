package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.TaskMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.ElasticInput;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Event time over channels that come and go. Flink's waits for all channels, also for dormant ones,
 * and can neither be copied nor told that a channel joins.
 */
final class InputEventTime extends WovenPoint {

    private static final String OUTPUT =
            "Lorg/apache/flink/streaming/runtime/io/PushingAsyncDataInput$DataOutput;";

    InputEventTime() {
        super(
                "input-event-time",
                "org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/streaming/runtime/io/checkpointing/CheckpointedInputGate;)V"),
                                Created.class),
                        new Woven(
                                Member.of(
                                        "inputWatermark",
                                        "(Lorg/apache/flink/streaming/api/watermark/Watermark;I"
                                                + OUTPUT
                                                + ")V"),
                                TakeWatermark.class),
                        new Woven(
                                Member.of(
                                        "inputWatermarkStatus",
                                        "(Lorg/apache/flink/streaming/runtime/watermarkstatus/WatermarkStatus;I"
                                                + OUTPUT
                                                + ")V"),
                                TakeStatus.class)),
                List.of(TaskMembers.CHECKPOINTED_GATE));
    }

    /** One per network input; it outlives the input that recovery uses. */
    public static final class Created {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.This StatusWatermarkValve valve,
                @Advice.Argument(0) CheckpointedInputGate gate) {
            ElasticInput.valveCreated(valve, gate);
        }
    }

    /** For each watermark. */
    public static final class TakeWatermark {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.FieldValue("drrsHook") Object input,
                @Advice.Argument(0) Watermark watermark,
                @Advice.Argument(1) int channel,
                @Advice.Argument(2) DataOutput<?> output)
                throws Exception {
            return input != null
                    && ElasticInput.watermark(input, watermark.getTimestamp(), channel, output);
        }
    }

    /** For each status. */
    public static final class TakeStatus {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.FieldValue("drrsHook") Object input,
                @Advice.Argument(0) WatermarkStatus status,
                @Advice.Argument(1) int channel,
                @Advice.Argument(2) DataOutput<?> output)
                throws Exception {
            return input != null && ElasticInput.status(input, status.isIdle(), channel, output);
        }
    }
}
