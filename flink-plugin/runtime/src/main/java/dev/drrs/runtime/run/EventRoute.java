package dev.drrs.runtime.run;

import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.GroupMember;
import dev.drrs.runtime.message.OfDataSet;
import dev.drrs.runtime.message.OfGate;
import dev.drrs.runtime.message.OfRescale;
import dev.drrs.runtime.message.OfSubscale;
import dev.drrs.runtime.message.OfVertex;
import java.util.List;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * Which of the rescales under way an event of a task is for: one rule for each kind of address that
 * an event can have. Main thread.
 */
public final class EventRoute {

    private final ElasticJob job;

    public EventRoute(ElasticJob job) {
        this.job = job;
    }

    /**
     * @throws IllegalStateException if the event has no address
     */
    public boolean leadsTo(RescaleRun run, Execution task, OperatorEvent event) {
        JobVertex own = task.getVertex().getJobVertex().getJobVertex();
        if (event instanceof OfRescale of) {
            return of.rescale() == run.number();
        }
        if (event instanceof OfGate of) {
            return covers(run, producer(own, of.gate()));
        }
        if (event instanceof OfDataSet of) {
            return covers(run, consumer(own, of.dataSetId()));
        }
        if (event instanceof OfVertex) {
            return covers(run, own.getID());
        }
        if (event instanceof OfSubscale) {
            return true;
        }
        throw new IllegalStateException(
                "unexpected event of task " + task.getVertexWithAttempt() + ": " + event);
    }

    /** Whether the vertex is the one that is rescaled, or scales together with it. */
    public boolean covers(RescaleRun run, JobVertexID vertex) {
        GroupMember member = job.member(vertex);
        return member != null && run.vertex() == member.leader();
    }

    private static JobVertexID producer(JobVertex consumer, int gate) {
        return consumer.getInputs().get(gate).getSource().getProducer().getID();
    }

    private static JobVertexID consumer(JobVertex producer, String dataSetId) {
        return producer.getProducedDataSets().stream()
                .filter(dataSet -> dataSet.getId().toString().equals(dataSetId))
                .map(dataSet -> dataSet.getConsumers())
                .flatMap(List<JobEdge>::stream)
                .map(edge -> edge.getTarget().getID())
                .findFirst()
                .orElseThrow();
    }
}
