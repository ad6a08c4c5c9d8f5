package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.CheckpointMembers;
import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.checkpoint.CheckpointPlans;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointPlan;

/** Plans checkpoints over the active subtasks; without it no checkpoint would start. */
final class CheckpointPlanFilter extends WovenPoint {

    CheckpointPlanFilter() {
        super(
                "checkpoint-plan",
                "org.apache.flink.runtime.checkpoint.DefaultCheckpointPlanCalculator",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "calculateWithAllTasksRunning",
                                        "()Lorg/apache/flink/runtime/checkpoint/CheckpointPlan;"),
                                AllRunning.class),
                        new Woven(
                                Member.of(
                                        "calculateAfterTasksFinished",
                                        "()Lorg/apache/flink/runtime/checkpoint/CheckpointPlan;"),
                                SomeFinished.class)),
                List.of(CheckpointMembers.CALCULATOR_JOB, CheckpointMembers.AFTER_TASKS_FINISHED));
    }

    /** While no task has finished. */
    public static final class AllRunning {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.FieldValue("jobId") JobID job,
                @Advice.FieldValue("allowCheckpointsAfterTasksFinished")
                        boolean mayHaveFinishedTasks,
                @Advice.Return(readOnly = false) CheckpointPlan plan) {
            plan = CheckpointPlans.withoutDormant(job, plan, mayHaveFinishedTasks);
        }
    }

    /** After some have. */
    public static final class SomeFinished {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.FieldValue("jobId") JobID job,
                @Advice.FieldValue("allowCheckpointsAfterTasksFinished")
                        boolean mayHaveFinishedTasks,
                @Advice.Return(readOnly = false) CheckpointPlan plan) {
            plan = CheckpointPlans.withoutDormant(job, plan, mayHaveFinishedTasks);
        }
    }
}
