package dev.drrs.instrumentation.task;

import dev.drrs.flink.GateMembers;
import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.ElasticInputGate;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;

/**
 * The channel of a dormant producer has nothing to resume and nothing to put into a checkpoint.
 * Flink's throws, and declines the checkpoint.
 */
final class UnknownChannel extends WovenPoint {

    UnknownChannel() {
        super(
                "unknown-channel",
                "org.apache.flink.runtime.io.network.partition.consumer.UnknownInputChannel",
                false,
                List.of(
                        new Woven(Member.of("resumeConsumption", "()V"), Skip.class),
                        new Woven(
                                Member.of(
                                        "checkpointStarted",
                                        "(Lorg/apache/flink/runtime/io/network/api/CheckpointBarrier;)V"),
                                Skip.class)),
                List.of(GateMembers.CHANNEL_GATE));
    }

    /** In an elastic task only. */
    public static final class Skip {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(@Advice.FieldValue("inputGate") SingleInputGate gate) {
            return ElasticInputGate.isElastic(gate);
        }
    }
}
