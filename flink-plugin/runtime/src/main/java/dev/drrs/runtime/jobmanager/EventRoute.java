package dev.drrs.runtime.jobmanager;

import dev.drrs.runtime.message.ActiveSubtasksKnown;
import dev.drrs.runtime.message.BroadcastStateCopied;
import dev.drrs.runtime.message.BroadcastStopped;
import dev.drrs.runtime.message.BuffersReserved;
import dev.drrs.runtime.message.ChannelClosed;
import dev.drrs.runtime.message.ChannelOpened;
import dev.drrs.runtime.message.ConsumerAligned;
import dev.drrs.runtime.message.EndOfDataSent;
import dev.drrs.runtime.message.EndOfDataWaits;
import dev.drrs.runtime.message.GateReported;
import dev.drrs.runtime.message.HeapReported;
import dev.drrs.runtime.message.KeysChecked;
import dev.drrs.runtime.message.Moved;
import dev.drrs.runtime.message.ReaderReady;
import dev.drrs.runtime.message.RescaleBegun;
import dev.drrs.runtime.message.RescaleEnded;
import dev.drrs.runtime.message.ResultsPassed;
import dev.drrs.runtime.message.RetirementPrepared;
import dev.drrs.runtime.message.SubpartitionOpened;
import dev.drrs.runtime.message.SubpartitionReset;
import dev.drrs.runtime.message.WriterReady;
import dev.drrs.runtime.message.WrittenOut;
import java.util.List;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * Which of the rescales under way an event of a task is for: each event names a rescale, a
 * subscale, a data set or an input gate, or it is about the task's own vertex. Main thread.
 */
final class EventRoute {

    private final ElasticJob job;

    EventRoute(ElasticJob job) {
        this.job = job;
    }

    /**
     * @throws IllegalStateException if the event is none that a rescale waits for
     */
    boolean leadsTo(RescaleRun run, Execution task, OperatorEvent event) {
        JobVertex own = task.getVertex().getJobVertex().getJobVertex();
        if (event instanceof ChannelOpened opened) {
            return covers(run, producer(own, opened.gate()));
        } else if (event instanceof ChannelClosed closed) {
            return covers(run, producer(own, closed.gate()));
        } else if (event instanceof SubpartitionOpened opened) {
            return covers(run, consumer(own, opened.dataSetId()));
        } else if (event instanceof SubpartitionReset reset) {
            return covers(run, consumer(own, reset.dataSetId()));
        } else if (event instanceof RescaleBegun begun) {
            return begun.rescale() == run.number();
        } else if (event instanceof EndOfDataWaits waits) {
            return waits.rescale() == run.number();
        } else if (event instanceof EndOfDataSent sent) {
            return sent.rescale() == run.number();
        } else if (event instanceof WrittenOut written) {
            return written.rescale() == run.number();
        } else if (event instanceof RetirementPrepared prepared) {
            return prepared.rescale() == run.number();
        } else if (event instanceof WriterReady ready) {
            return ready.link().rescale() == run.number();
        } else if (event instanceof ReaderReady ready) {
            return ready.link().rescale() == run.number();
        } else if (event instanceof RescaleEnded ended) {
            return ended.rescale() == run.number();
        } else if (event instanceof KeysChecked checked) {
            return checked.rescale() == run.number();
        } else if (event instanceof BuffersReserved reserved) {
            return reserved.rescale() == run.number();
        } else if (event instanceof HeapReported reported) {
            return reported.rescale() == run.number();
        } else if (event instanceof BroadcastStopped stopped) {
            return stopped.rescale() == run.number();
        } else if (event instanceof BroadcastStateCopied copied) {
            return copied.rescale() == run.number();
        } else if (event instanceof ConsumerAligned || event instanceof ResultsPassed) {
            return true; // a migration knows its own subscales: their ids are the job's
        } else if (event instanceof GateReported
                || event instanceof Moved
                || event instanceof ActiveSubtasksKnown) {
            return covers(run, own.getID());
        }
        throw new IllegalStateException(
                "unexpected event of task " + task.getVertexWithAttempt() + ": " + event);
    }

    /** Whether the vertex is the one that is rescaled, or scales together with it. */
    boolean covers(RescaleRun run, JobVertexID vertex) {
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
