package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.job.RetiredFigures;
import java.util.List;
import java.util.Map;
import net.bytebuddy.asm.Advice;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.util.OptionalFailure;

/**
 * Puts the accumulators of retired subtasks into the job's result. Flink merges those of the
 * present attempt of each subtask, and a retired subtask's present attempt has not run.
 */
final class AccumulatorsOfJob extends WovenPoint {

    AccumulatorsOfJob() {
        super(
                "accumulators-of-job",
                "org.apache.flink.runtime.executiongraph.DefaultExecutionGraph",
                false,
                List.of(
                        new Woven(
                                Member.of("aggregateUserAccumulators", "()Ljava/util/Map;"),
                                Aggregate.class)),
                List.of(
                        Member.of("getJobID", "()Lorg/apache/flink/api/common/JobID;"),
                        Member.of(
                                "org.apache.flink.runtime.executiongraph.Execution",
                                "getUserAccumulators",
                                "()Ljava/util/Map;")));
    }

    /** For the result, for REST, and when the job ends. */
    public static final class Aggregate {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.This ExecutionGraph graph,
                @Advice.Return Map<String, OptionalFailure<Accumulator<?, ?>>> result) {
            RetiredFigures.addTo(graph.getJobID(), result);
        }
    }
}
