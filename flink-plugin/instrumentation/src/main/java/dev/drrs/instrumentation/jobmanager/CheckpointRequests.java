package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.CheckpointMembers;
import dev.drrs.flink.Member;
import dev.drrs.instrumentation.Weaving;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.checkpoint.CheckpointHooks;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.function.IntSupplier;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Delays checkpoint requests while a section of a rescale runs, in Flink's own queue. */
final class CheckpointRequests extends WovenPoint {

    CheckpointRequests() {
        super(
                "checkpoint-requests",
                "org.apache.flink.runtime.checkpoint.CheckpointRequestDecider",
                true,
                List.of(
                        new Woven(
                                Member.of("chooseRequestToExecute", "(ZJ)Ljava/util/Optional;"),
                                Choose.class),
                        new Woven(
                                Member.of(
                                        "chooseRequestToExecute",
                                        "(Lorg/apache/flink/runtime/checkpoint/CheckpointCoordinator$CheckpointTriggerRequest;ZJ)Ljava/util/Optional;"),
                                Enqueue.class)),
                List.of(CheckpointMembers.QUEUED_REQUESTS, CheckpointMembers.PENDING_SIZE));
    }

    /** Holds back the choice, or notes what was chosen. */
    public static final class Choose {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.FieldValue(Weaving.HOOK) Object hook,
                @Advice.Argument(0) boolean isTriggering,
                @Advice.FieldValue("pendingCheckpointsSizeSupplier") IntSupplier pending,
                @Advice.FieldValue("queuedRequests") NavigableSet<?> queue) {
            return hook != null
                    && CheckpointHooks.hold(hook, isTriggering || pending.getAsInt() > 0, queue);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.Enter boolean held,
                @Advice.FieldValue(Weaving.HOOK) Object hook,
                @Advice.Return(readOnly = false) Optional<?> chosen) {
            if (held) {
                chosen = Optional.empty();
            } else if (hook != null) {
                CheckpointHooks.chosen(hook, chosen);
            }
        }
    }

    /** Drops periodic requests that would pile up behind a held one. */
    public static final class Enqueue {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.FieldValue(Weaving.HOOK) Object hook,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            return hook != null && CheckpointHooks.dropSurplus(hook, request);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.Enter boolean dropped,
                @Advice.Return(readOnly = false) Optional<?> chosen) {
            if (dropped) {
                chosen = Optional.empty();
            }
        }
    }
}
