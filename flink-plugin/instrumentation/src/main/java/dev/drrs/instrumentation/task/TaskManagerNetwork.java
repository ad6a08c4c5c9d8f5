package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.peer.ShuffleEnvironments;
import dev.drrs.runtime.role.TaskExtensions;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.taskexecutor.TaskManagerServices;
import org.apache.flink.runtime.taskexecutor.TaskManagerServicesConfiguration;

/**
 * Which network stack belongs to a task; Flink does not tell its tasks. And the moment in which a
 * TaskManager may begin to rehearse.
 */
final class TaskManagerNetwork extends WovenPoint {

    TaskManagerNetwork() {
        super(
                "task-manager-network",
                "org.apache.flink.runtime.taskexecutor.TaskManagerServices",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "fromConfiguration",
                                        "(Lorg/apache/flink/runtime/taskexecutor/TaskManagerServicesConfiguration;"
                                                + "Lorg/apache/flink/runtime/blob/PermanentBlobService;"
                                                + "Lorg/apache/flink/metrics/MetricGroup;"
                                                + "Ljava/util/concurrent/ExecutorService;"
                                                + "Lorg/apache/flink/util/concurrent/ScheduledExecutor;"
                                                + "Lorg/apache/flink/runtime/rpc/FatalErrorHandler;"
                                                + "Lorg/apache/flink/runtime/entrypoint/WorkingDirectory;)"
                                                + "Lorg/apache/flink/runtime/taskexecutor/TaskManagerServices;"),
                                Started.class),
                        new Woven(Member.of("shutDown", "()V"), Stopped.class)),
                List.of());
    }

    /** The services of a TaskManager are there. */
    public static final class Started {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.Argument(0) TaskManagerServicesConfiguration configuration,
                @Advice.Return TaskManagerServices services) {
            ShuffleEnvironments.started(services);
            TaskExtensions.taskManagerStarted(services, configuration.getConfiguration());
        }
    }

    /** And go. */
    public static final class Stopped {
        @Advice.OnMethodEnter
        public static void enter(@Advice.This TaskManagerServices services) {
            ShuffleEnvironments.stopped(services);
        }
    }
}
