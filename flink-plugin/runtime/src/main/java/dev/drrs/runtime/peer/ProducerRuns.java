package dev.drrs.runtime.peer;

import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.io.network.partition.PartitionProducerStateProvider;
import org.apache.flink.types.Either;

/**
 * The answer to Flink's question whether a partition that was not found has a running producer.
 *
 * <p>Always yes: the coordinator opens an exchange between running subtasks only and closes it if
 * one of them fails. Flink asks again, with its own back-off, until the partition is there or the
 * back-off is used up.
 */
record ProducerRuns(PeerReader reader) implements PartitionProducerStateProvider.ResponseHandle {

    @Override
    public ExecutionState getConsumerExecutionState() {
        return ExecutionState.RUNNING;
    }

    @Override
    public Either<ExecutionState, Throwable> getProducerExecutionState() {
        return Either.Left(ExecutionState.RUNNING);
    }

    @Override
    public void cancelConsumption() {
        reader.close(new PeerClosedException("The producer of the peer exchange has gone."));
    }

    @Override
    public void failConsumption(Throwable cause) {
        reader.close(cause);
    }
}
