package dev.drrs.runtime.submission;

import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.functions.CacheFields;
import dev.drrs.runtime.functions.Reopen;
import dev.drrs.runtime.functions.UserCode;
import java.util.List;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * What the functions of keyed operators mean for a rescale: whether they are opened anew, and what
 * they may keep that would be out of date. On the thread that builds the JobMaster.
 */
final class VertexFunctions {

    private final String option;
    private final ClassLoader loader;

    VertexFunctions(ReadableConfig configuration, ClassLoader loader) {
        this.option = configuration.get(DrrsOptions.REOPEN);
        this.loader = loader;
    }

    /** Whether functions of this vertex are to be opened anew when key groups come back. */
    boolean reopens(JobVertex vertex, OperatorIDPair head) {
        return Reopen.covers(
                option,
                head.getUserDefinedOperatorUid(),
                head.getUserDefinedOperatorName(),
                vertex.getName());
    }

    /** Why they cannot be, although the job wants it; null if they can. */
    String reopenFault(JobVertex vertex, OperatorIDPair head) {
        if (!reopens(vertex, head)) {
            return null;
        }
        StreamOperatorFactory<?> factory = factory(vertex);
        return Reopen.fault(factory.getStreamOperatorClass(loader), UserCode.in(factory));
    }

    /** Sentences about fields that may keep what keyed state has. */
    List<String> warnings(JobVertex vertex, OperatorIDPair head) {
        boolean reopened = reopens(vertex, head);
        return UserCode.in(factory(vertex)).stream()
                .flatMap(function -> CacheFields.warnings(function, reopened).stream())
                .distinct()
                .toList();
    }

    private StreamOperatorFactory<?> factory(JobVertex vertex) {
        return new StreamConfig(vertex.getConfiguration()).getStreamOperatorFactory(loader);
    }
}
