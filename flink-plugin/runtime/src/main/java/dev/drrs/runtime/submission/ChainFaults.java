package dev.drrs.runtime.submission;

import dev.drrs.runtime.catalog.ChainCheck;
import dev.drrs.runtime.catalog.OperatorFault;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;

/** All that cannot be there of the operators of an elastic task, in words. */
final class ChainFaults {

    private static final String ANOTHER_START =
            "stop the job with a savepoint and start it again with the parallelism wanted";

    private static final String COORDINATOR =
            " has a coordinator of its own, which knows a fixed number of subtasks";

    private final ChainCheck operators;
    private final ChainCoordinators coordinators;

    ChainFaults(ReadableConfig configuration, ClassLoader loader) {
        this.operators = new ChainCheck(configuration, loader);
        this.coordinators = new ChainCoordinators(loader);
    }

    /** Of a keyed task, to be read after what names its operator; null if there is none. */
    String ofKeyed(JobVertex vertex) {
        StreamConfig head = new StreamConfig(vertex.getConfiguration());
        List<String> faults = new ArrayList<>();
        for (OperatorFault fault : operators.ofKeyed(head)) {
            faults.add("it " + fault.what() + "; " + or(fault.remedy(), ANOTHER_START));
        }
        List<OperatorFault> chained = operators.ofChained(head);
        for (OperatorFault fault : chained) {
            faults.add(
                    inChain(fault.name())
                            + " "
                            + fault.what()
                            + "; "
                            + or(fault.remedy(), apart(fault.name())));
        }
        for (String name : besides(chained, vertex)) {
            faults.add(inChain(name) + COORDINATOR + "; " + apart(name));
        }
        return faults.isEmpty() ? null : String.join("; and ", faults);
    }

    private static String or(String remedy, String otherwise) {
        return remedy == null ? otherwise : remedy;
    }

    private static String inChain(String name) {
        return "operator " + name + " in its chain";
    }

    private static String apart(String name) {
        return "give " + name + " a rebalance()";
    }

    /** Of a task that follows a keyed one, to be read after what names it; null if none. */
    String ofFollower(JobVertex vertex) {
        List<String> faults = new ArrayList<>();
        List<OperatorFault> found =
                operators.ofFollower(new StreamConfig(vertex.getConfiguration()));
        for (OperatorFault fault : found) {
            String remedy = fault.remedy() == null ? "" : "; " + fault.remedy();
            faults.add(fault.name() + " " + fault.what() + remedy);
        }
        besides(found, vertex).forEach(name -> faults.add(name + COORDINATOR));
        return faults.isEmpty() ? null : "there " + String.join("; and ", faults);
    }

    /** Names of operators with a coordinator of which nothing has been said yet. */
    private List<String> besides(List<OperatorFault> said, JobVertex vertex) {
        return coordinators.of(vertex).stream()
                .filter(name -> said.stream().noneMatch(fault -> fault.name().equals(name)))
                .toList();
    }
}
