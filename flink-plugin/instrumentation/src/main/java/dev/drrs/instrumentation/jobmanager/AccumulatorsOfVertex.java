package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.job.RetiredFigures;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.accumulators.StringifiedAccumulatorResult;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;

/** As {@link AccumulatorsOfJob}, for what REST shows of one vertex. */
final class AccumulatorsOfVertex extends WovenPoint {

    AccumulatorsOfVertex() {
        super(
                "accumulators-of-vertex",
                "org.apache.flink.runtime.executiongraph.ExecutionJobVertex",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "getAggregatedUserAccumulatorsStringified",
                                        "()[Lorg/apache/flink/runtime/accumulators/StringifiedAccumulatorResult;"),
                                Aggregate.class)),
                List.of(
                        Member.of(
                                "org.apache.flink.api.common.accumulators.AccumulatorHelper",
                                "mergeInto",
                                "(Ljava/util/Map;Ljava/util/Map;)V"),
                        Member.of(
                                "org.apache.flink.runtime.accumulators.StringifiedAccumulatorResult",
                                "stringifyAccumulatorResults",
                                "(Ljava/util/Map;)[Lorg/apache/flink/runtime/accumulators/StringifiedAccumulatorResult;")));
    }

    /** When a copy of the vertex is made. */
    public static final class Aggregate {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.This ExecutionJobVertex vertex,
                @Advice.Return(readOnly = false) StringifiedAccumulatorResult[] result) {
            result = RetiredFigures.ofVertex(vertex, result);
        }
    }
}
