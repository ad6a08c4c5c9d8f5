package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.JoinPoint;
import dev.drrs.instrumentation.Weaving;
import dev.drrs.runtime.rest.EndedJobs;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.FieldPersistence;
import net.bytebuddy.dynamic.DynamicType;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;

/**
 * Lets what Flink keeps of an ended job carry the history of its rescales, which would be gone with
 * the JobMaster. The field is serialized, as Flink may keep its archive on disk and sends it
 * between JobManagers; one without the plug-in does not see it.
 */
final class KeptRescales implements JoinPoint {

    private static final Member CREATE_FROM =
            Member.of(
                    "createFrom",
                    "(Lorg/apache/flink/runtime/executiongraph/ExecutionGraph;Lorg/apache/flink/api/common/JobStatus;)Lorg/apache/flink/runtime/executiongraph/ArchivedExecutionGraph;");

    @Override
    public String name() {
        return "kept-rescales";
    }

    @Override
    public String type() {
        return "org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph";
    }

    @Override
    public List<Member> members() {
        // Without an id of its own the added field would change the class's default one.
        return List.of(CREATE_FROM, Member.of("serialVersionUID", "J"));
    }

    @Override
    public DynamicType.Builder<?> transform(DynamicType.Builder<?> builder) {
        return Weaving.advise(
                Weaving.hook(builder, FieldPersistence.PLAIN), CreateFrom.class, CREATE_FROM);
    }

    /** An archive of a job's graph was made. */
    public static final class CreateFrom {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.Argument(0) ExecutionGraph graph,
                @Advice.Return ArchivedExecutionGraph archive) {
            EndedJobs.keep(graph, archive);
        }
    }
}
