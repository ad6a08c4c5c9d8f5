package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.RecoveryTracker;
import java.io.IOException;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;

/**
 * Waits for the recovery of active producers only, and answers one that starts later. Flink's waits
 * for all: nothing would ever be read, and a late producer would stay blocked.
 */
final class EndOfRecovery extends WovenPoint {

    EndOfRecovery() {
        super(
                "end-of-recovery",
                "org.apache.flink.streaming.runtime.io.checkpointing.UpstreamRecoveryTrackerImpl",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/runtime/io/network/partition/consumer/InputGate;)V"),
                                Created.class),
                        new Woven(
                                Member.of(
                                        "handleEndOfRecovery",
                                        "(Lorg/apache/flink/runtime/checkpoint/channel/InputChannelInfo;)V"),
                                Handle.class),
                        new Woven(Member.of("allChannelsRecovered", "()Z"), All.class)),
                List.of());
    }

    /** One per gate, or union of gates. */
    public static final class Created {
        @Advice.OnMethodExit
        public static void exit(@Advice.This Object tracker, @Advice.Argument(0) InputGate gate) {
            RecoveryTracker.created(tracker, gate);
        }
    }

    /** Once per channel. */
    public static final class Handle {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.FieldValue("drrsHook") Object tracker,
                @Advice.Argument(0) InputChannelInfo channel)
                throws IOException {
            return RecoveryTracker.endOfRecovery(tracker, channel);
        }
    }

    /** Asked after each such event. */
    public static final class All {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static int enter(@Advice.FieldValue("drrsHook") Object tracker) {
            return RecoveryTracker.allRecovered(tracker);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.Enter int answer, @Advice.Return(readOnly = false) boolean all) {
            if (answer != 0) {
                all = answer == 1;
            }
        }
    }
}
