package dev.drrs.runtime.run;

import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.TaskMessenger;
import dev.drrs.runtime.message.CancelAlignment;
import dev.drrs.runtime.section.CheckpointTurns;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;

/**
 * Barriers of a checkpoint that did not complete and are still under way. Who reads one would wait
 * for the same barrier from a channel that opens later and never carried it, so it is told not to.
 * Main thread.
 */
final class StaleBarriers {

    private final CheckpointTurns gate;
    private final Neighbours neighbours;
    private final TaskMessenger messenger;
    private long cancelled = CheckpointTurns.NO_CHECKPOINT;

    StaleBarriers(CheckpointTurns gate, Neighbours neighbours, TaskMessenger messenger) {
        this.gate = gate;
        this.neighbours = neighbours;
        this.messenger = messenger;
    }

    /** Before a section: tells owners and consumers, each checkpoint once. */
    void cancelAtReaders() {
        long checkpoint = gate.lastUnfinished();
        if (checkpoint <= cancelled) {
            return;
        }
        cancelled = checkpoint;
        Set<Execution> readers = new HashSet<>(neighbours.groupActive());
        neighbours.consumers().forEach(consumer -> readers.add(consumer.task()));
        readers.removeIf(reader -> reader.getState() != ExecutionState.RUNNING);
        messenger.send(readers, new CancelAlignment(checkpoint));
    }

    /** Before these subtasks open: predecessors may have sent such a barrier before that. */
    void cancelAtNew(Collection<Execution> subtasks) {
        long checkpoint = gate.lastUnfinished();
        if (checkpoint != CheckpointTurns.NO_CHECKPOINT) {
            messenger.send(subtasks, new CancelAlignment(checkpoint));
        }
    }
}
