package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.CheckpointMembers;
import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobManagerHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;

/** Makes the parts of a new checkpoint coordinator known to the elastic job. */
final class CheckpointCoordinatorCreation extends WovenPoint {

    CheckpointCoordinatorCreation() {
        super(
                "checkpoint-coordinator",
                "org.apache.flink.runtime.checkpoint.CheckpointCoordinator",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/api/common/JobID;Lorg/apache/flink/runtime/jobgraph/tasks/CheckpointCoordinatorConfiguration;Ljava/util/Collection;Lorg/apache/flink/runtime/checkpoint/CheckpointIDCounter;Lorg/apache/flink/runtime/checkpoint/CompletedCheckpointStore;Lorg/apache/flink/runtime/state/CheckpointStorage;Ljava/util/concurrent/Executor;Lorg/apache/flink/runtime/checkpoint/CheckpointsCleaner;Lorg/apache/flink/util/concurrent/ScheduledExecutor;Lorg/apache/flink/runtime/checkpoint/CheckpointFailureManager;Lorg/apache/flink/runtime/checkpoint/CheckpointPlanCalculator;Lorg/apache/flink/util/clock/Clock;Lorg/apache/flink/runtime/checkpoint/CheckpointStatsTracker;Ljava/util/function/BiFunction;)V"),
                                Created.class)),
                List.of(
                        CheckpointMembers.COORDINATOR_JOB,
                        CheckpointMembers.REQUEST_DECIDER,
                        CheckpointMembers.STATS_TRACKER,
                        CheckpointMembers.IO_EXECUTOR,
                        CheckpointMembers.COORDINATOR_LOCK,
                        CheckpointMembers.ABORT_PENDING,
                        CheckpointMembers.SCHEDULE_TRIGGER));
    }

    /** Attaches the job. */
    public static final class Created {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.This CheckpointCoordinator coordinator,
                @Advice.FieldValue("job") JobID job,
                @Advice.FieldValue(value = "requestDecider", typing = Assigner.Typing.DYNAMIC)
                        Object decider,
                @Advice.FieldValue(value = "statsTracker", typing = Assigner.Typing.DYNAMIC)
                        Object statistics) {
            JobManagerHooks.checkpointCoordinator(job, coordinator, decider, statistics);
        }
    }
}
