package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.EndedJobs;
import java.util.Collection;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.scheduler.ExecutionGraphInfo;
import org.apache.flink.runtime.webmonitor.history.ArchivedJson;

/** Puts the rescales of an ended job into its archive for Flink's history server. */
final class ArchivedRescales extends WovenPoint {

    ArchivedRescales() {
        super(
                "archived-rescales",
                "org.apache.flink.runtime.webmonitor.WebMonitorEndpoint",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "archiveJsonWithPath",
                                        "(Lorg/apache/flink/runtime/scheduler/ExecutionGraphInfo;)Ljava/util/Collection;"),
                                Archive.class)),
                List.of(
                        Member.of(
                                "org.apache.flink.runtime.scheduler.ExecutionGraphInfo",
                                "getArchivedExecutionGraph",
                                "()Lorg/apache/flink/runtime/executiongraph/ArchivedExecutionGraph;"),
                        Member.of(
                                "org.apache.flink.runtime.webmonitor.history.ArchivedJson",
                                "<init>",
                                "(Ljava/lang/String;Ljava/lang/String;)V")));
    }

    /** What the history server is to show was put together. */
    public static final class Archive {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.Argument(0) ExecutionGraphInfo info,
                @Advice.Return Collection<ArchivedJson> archived) {
            EndedJobs.addTo(archived, info.getArchivedExecutionGraph());
        }
    }
}
