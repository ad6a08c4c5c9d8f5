package dev.drrs.instrumentation.jobmanager;

import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.submission.JobGraphRewrite;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.graph.ExecutionPlan;

/**
 * Says why a job that asks to be elastic is not: the adaptive scheduler rescales in its own way.
 */
final class AdaptiveSchedulerNotice extends WovenPoint {

    AdaptiveSchedulerNotice() {
        super(
                "adaptive-scheduler",
                "org.apache.flink.runtime.scheduler.adaptive.AdaptiveSchedulerFactory",
                false,
                List.of(new Woven(CreateScheduler.METHOD, CreateInstance.class)),
                List.of());
    }

    /** One line in the log. */
    public static final class CreateInstance {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(
                @Advice.Argument(1) ExecutionPlan plan,
                @Advice.Argument(3) Configuration configuration) {
            JobGraphRewrite.adaptive(plan, configuration);
        }
    }
}
