package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.OperatorMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.submission.JobGraphRewrite;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.graph.ExecutionPlan;

/** Makes the job elastic before its scheduler is built; without it the job runs as stock. */
final class ElasticSubmission extends WovenPoint {

    ElasticSubmission() {
        super(
                "elastic-submission",
                "org.apache.flink.runtime.scheduler.DefaultSchedulerFactory",
                false,
                List.of(new Woven(CreateScheduler.METHOD, CreateInstance.class)),
                List.of(OperatorMembers.POJO_CLASS, OperatorMembers.KRYO_CLASS));
    }

    /** Hands on the rewritten plan. */
    public static final class CreateInstance {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.Argument(value = 1, readOnly = false) ExecutionPlan plan,
                @Advice.Argument(3) Configuration configuration,
                @Advice.Argument(6) ClassLoader loader)
                throws Exception {
            plan = JobGraphRewrite.rewrite(plan, configuration, loader);
        }
    }
}
