package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.ShownFigures;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.rest.messages.SubtasksTimesInfo;

/** The timeline of a vertex goes by the indices of the subtasks shown; it would count them. */
final class ShownTimes extends WovenPoint {

    ShownTimes() {
        super(
                "shown-times",
                "org.apache.flink.runtime.rest.handler.job.SubtasksTimesHandler",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "createSubtaskTimesInfo",
                                        "(Lorg/apache/flink/runtime/executiongraph/AccessExecutionJobVertex;)Lorg/apache/flink/runtime/rest/messages/SubtasksTimesInfo;"),
                                Times.class)),
                List.of());
    }

    /** Of one vertex. */
    public static final class Times {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.Argument(0) AccessExecutionJobVertex vertex,
                @Advice.Return(readOnly = false) SubtasksTimesInfo times) {
            times = ShownFigures.times(vertex, times);
        }
    }
}
