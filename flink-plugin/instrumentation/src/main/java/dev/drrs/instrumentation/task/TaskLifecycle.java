package dev.drrs.instrumentation.task;

import dev.drrs.instrumentation.Member;
import dev.drrs.instrumentation.WovenPoint;
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
                        Member.of(
                                "recordWriter",
                                "Lorg/apache/flink/runtime/io/network/api/writer/RecordWriterDelegate;"),
                        Member.of(
                                "operatorChain",
                                "Lorg/apache/flink/streaming/runtime/tasks/OperatorChain;"),
                        Member.of(
                                "mailboxProcessor",
                                "Lorg/apache/flink/streaming/runtime/tasks/mailbox/MailboxProcessor;"),
                        Member.of(
                                "org.apache.flink.runtime.taskmanager.InputGateWithMetrics",
                                "inputGate",
                                "Lorg/apache/flink/runtime/io/network/partition/consumer/IndexedInputGate;"),
                        Member.of(
                                "org.apache.flink.runtime.io.network.partition.consumer.UnionInputGate",
                                "inputGatesByGateIndex",
                                "Ljava/util/Map;"),
                        Member.of(
                                "inputProcessor",
                                "Lorg/apache/flink/streaming/runtime/io/StreamInputProcessor;"),
                        Member.of(
                                "subtaskCheckpointCoordinator",
                                "Lorg/apache/flink/streaming/runtime/tasks/SubtaskCheckpointCoordinator;"),
                        Member.of(
                                "org.apache.flink.streaming.runtime.io.StreamOneInputProcessor",
                                "output",
                                "Lorg/apache/flink/streaming/runtime/io/PushingAsyncDataInput$DataOutput;"),
                        Member.of(
                                "org.apache.flink.streaming.runtime.operators.sink.SinkWriterOperator",
                                "sinkWriter",
                                "Lorg/apache/flink/api/connector/sink2/SinkWriter;"),
                        Member.of(
                                "org.apache.flink.streaming.runtime.operators.sink.SinkWriterOperator",
                                "endOfInput",
                                "Z"),
                        Member.of(
                                "org.apache.flink.streaming.api.operators.async.AsyncWaitOperator",
                                "waitInFlightInputsFinished",
                                "()V"),
                        Member.of(
                                "org.apache.flink.streaming.api.operators.AbstractStreamOperator",
                                "output",
                                "Lorg/apache/flink/streaming/api/operators/Output;"),
                        Member.of(
                                "org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2",
                                "output",
                                "Lorg/apache/flink/streaming/api/operators/Output;")));
    }

    /** Before anything is read or emitted, and when it is done. */
    public static final class Restore {
        @Advice.OnMethodEnter
        public static void enter(@Advice.This StreamTask<?, ?> task) {
            ElasticTask.restoring(task);
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
