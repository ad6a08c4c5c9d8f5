package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.flink.SchedulerMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobManagerHooks;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import net.bytebuddy.asm.Advice;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.TaskExecutionStateTransition;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.scheduler.SchedulerBase;
import org.apache.flink.runtime.scheduler.VertexParallelismStore;

/**
 * What the scheduler is asked from outside: parallelism of the vertices, states and events of
 * tasks, requests of clients, a stop.
 */
final class SchedulerCalls extends WovenPoint {

    SchedulerCalls() {
        super(
                "scheduler-calls",
                "org.apache.flink.runtime.scheduler.SchedulerBase",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "computeVertexParallelismStore",
                                        "(Lorg/apache/flink/runtime/jobgraph/JobGraph;)Lorg/apache/flink/runtime/scheduler/VertexParallelismStore;"),
                                ParallelismStore.class),
                        new Woven(
                                Member.of(
                                        "getCombinedExecutionTerminationFuture",
                                        "()Ljava/util/concurrent/CompletableFuture;"),
                                Termination.class),
                        new Woven(
                                Member.of(
                                        "deliverOperatorEventToCoordinator",
                                        "(Lorg/apache/flink/runtime/executiongraph/ExecutionAttemptID;Lorg/apache/flink/runtime/jobgraph/OperatorID;Lorg/apache/flink/runtime/operators/coordination/OperatorEvent;)V"),
                                TaskEvent.class),
                        new Woven(
                                Member.of(
                                        "deliverCoordinationRequestToCoordinator",
                                        "(Lorg/apache/flink/runtime/jobgraph/OperatorID;Lorg/apache/flink/runtime/operators/coordination/CoordinationRequest;)Ljava/util/concurrent/CompletableFuture;"),
                                ClientRequest.class),
                        new Woven(
                                Member.of(
                                        "stopWithSavepoint",
                                        "(Ljava/lang/String;ZLorg/apache/flink/core/execution/SavepointFormatType;)Ljava/util/concurrent/CompletableFuture;"),
                                Stop.class),
                        new Woven(
                                Member.of(
                                        "closeAsync", "()Ljava/util/concurrent/CompletableFuture;"),
                                Closed.class),
                        new Woven(
                                Member.of(
                                        "updateTaskExecutionState",
                                        "(Lorg/apache/flink/runtime/executiongraph/TaskExecutionStateTransition;)Z"),
                                TaskState.class)),
                List.of(
                        SchedulerMembers.JOB_GRAPH,
                        Member.of(
                                "getExecutionGraph",
                                "()Lorg/apache/flink/runtime/executiongraph/ExecutionGraph;"),
                        SchedulerMembers.MAIN_THREAD));
    }

    /**
     * The max parallelism that is derived from a parallelism comes from the configured one, not
     * from the ceiling.
     */
    public static final class ParallelismStore {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.Argument(0) JobGraph graph, @Advice.Return VertexParallelismStore store) {
            JobManagerHooks.parallelism(graph, store);
        }
    }

    /** A stop-with-savepoint waits for the active subtasks only. */
    public static final class Termination {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.This SchedulerBase scheduler,
                @Advice.Return(readOnly = false)
                        CompletableFuture<Collection<ExecutionState>> all) {
            all = JobManagerHooks.termination(scheduler, all);
        }
    }

    /**
     * Takes out events between the plug-in's own parts: Flink knows no coordinator of that id and
     * would fail the task.
     */
    public static final class TaskEvent {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.This SchedulerBase scheduler,
                @Advice.Argument(0) ExecutionAttemptID task,
                @Advice.Argument(1) OperatorID operator,
                @Advice.Argument(2) OperatorEvent event) {
            return JobManagerHooks.takeEvent(scheduler, task, operator, event);
        }
    }

    /** Answers the requests of the plug-in's REST handlers, whatever operator they name. */
    public static final class ClientRequest {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static CompletableFuture<CoordinationResponse> enter(
                @Advice.This SchedulerBase scheduler,
                @Advice.Argument(1) CoordinationRequest request) {
            return JobManagerHooks.takeRequest(scheduler, request);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.Enter CompletableFuture<CoordinationResponse> taken,
                @Advice.Return(readOnly = false) CompletableFuture<CoordinationResponse> answer) {
            if (taken != null) {
                answer = taken;
            }
        }
    }

    /** What retired subtasks have left is given to one more before a drain. */
    public static final class Stop {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static CompletableFuture<String> enter(
                @Advice.This SchedulerBase scheduler,
                @Advice.Argument(0) String directory,
                @Advice.Argument(1) boolean drain,
                @Advice.Argument(2) SavepointFormatType format) {
            return JobManagerHooks.beforeStop(scheduler, directory, drain, format);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.Enter CompletableFuture<String> later,
                @Advice.Return(readOnly = false) CompletableFuture<String> answer) {
            if (later != null) {
                answer = later;
            }
        }
    }

    /** Forgets the job, whether or not it has coordinators. */
    public static final class Closed {
        @Advice.OnMethodEnter
        public static void enter(@Advice.This SchedulerBase scheduler) {
            JobManagerHooks.closed(scheduler);
        }
    }

    /** Tells the rescale under way which of its new subtasks run. */
    public static final class TaskState {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.This SchedulerBase scheduler,
                @Advice.Argument(0) TaskExecutionStateTransition transition) {
            JobManagerHooks.taskState(scheduler, transition);
        }
    }
}
