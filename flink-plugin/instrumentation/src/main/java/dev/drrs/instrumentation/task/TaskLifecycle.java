package dev.drrs.instrumentation.task;

import dev.drrs.flink.GateMembers;
import dev.drrs.flink.Member;
import dev.drrs.flink.OperatorMembers;
import dev.drrs.flink.TaskMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.role.TaskExtensions;
import dev.drrs.runtime.task.ElasticTask;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.util.SerializedValue;

/**
 * The plug-in's part of a task begins before the task restores, and gets the coordinator's events.
 * Without it such an event would be looked up among the operators of the chain and fail the task.
 */
final class TaskLifecycle extends WovenPoint {

    TaskLifecycle() {
        super(
                "task",
                "org.apache.flink.streaming.runtime.tasks.StreamTask",
                true,
                List.of(
                        new Woven(Member.of("restoreInternal", "()V"), Restore.class),
                        new Woven(Member.of("cleanUp", "(Ljava/lang/Throwable;)V"), CleanUp.class),
                        new Woven(
                                Member.of(
                                        "dispatchOperatorEvent",
                                        "(Lorg/apache/flink/runtime/jobgraph/OperatorID;Lorg/apache/flink/util/SerializedValue;)V"),
                                Event.class)),
                List.of(
                        TaskMembers.RECORD_WRITERS,
                        TaskMembers.OPERATOR_CHAIN,
                        TaskMembers.MAILBOX,
                        GateMembers.MEASURED,
                        GateMembers.UNITED,
                        TaskMembers.INPUT_PROCESSOR,
                        TaskMembers.CHECKPOINTS,
                        TaskMembers.INPUT_OUTPUT,
                        OperatorMembers.SINK_WRITER,
                        OperatorMembers.SINK_ENDED,
                        OperatorMembers.AWAIT_REQUESTS,
                        OperatorMembers.OUTPUT,
                        OperatorMembers.OUTPUT_V2));
    }

    /** Before anything is read or emitted, and when it is done. */
    public static final class Restore {
        @Advice.OnMethodEnter
        public static void enter(@Advice.This StreamTask<?, ?> task) {
            TaskExtensions.restoring(task);
        }

        @Advice.OnMethodExit
        public static void exit(@Advice.This StreamTask<?, ?> task) throws Exception {
            ElasticTask.restored(task);
        }
    }

    /** However the task ended. */
    public static final class CleanUp {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.This StreamTask<?, ?> task, @Advice.Argument(0) Throwable failure)
                throws Exception {
            ElasticTask.ending(task, failure);
        }
    }

    /** Takes out the plug-in's events. */
    public static final class Event {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.This StreamTask<?, ?> task,
                @Advice.Argument(0) OperatorID operator,
                @Advice.Argument(1) SerializedValue<OperatorEvent> event) {
            return ElasticTask.takeEvent(task, operator, event);
        }
    }
}
