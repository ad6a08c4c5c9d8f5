package dev.drrs.runtime.role;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStorageWorkerView;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * Writes the broadcast state of operators as a checkpoint would, so that new subtasks can restore
 * it: where the job's checkpoints are kept, but owned by no checkpoint. Mailbox thread only.
 */
final class BroadcastStateCopy {

    private BroadcastStateCopy() {}

    /**
     * By operator, hex of its id; operators without broadcast state are left out.
     *
     * @throws IOException if the state cannot be written, for example because it is larger than the
     *     storage takes
     */
    static Map<String, OperatorStreamStateHandle> of(
            List<? extends StreamOperator<?>> operators, CheckpointStorageWorkerView storage)
            throws Exception {
        Map<String, OperatorStreamStateHandle> copies = new HashMap<>();
        for (StreamOperator<?> operator : operators) {
            OperatorStateBackend backend = backendOf(operator);
            if (backend != null && !backend.getRegisteredBroadcastStateNames().isEmpty()) {
                OperatorStreamStateHandle copy = copy(backend, storage);
                if (copy != null) {
                    copies.put(operator.getOperatorID().toHexString(), copy);
                }
            }
        }
        return copies;
    }

    private static OperatorStateBackend backendOf(StreamOperator<?> operator) {
        return operator instanceof AbstractStreamOperator<?> v1
                ? v1.getOperatorStateBackend()
                : ((AbstractStreamOperatorV2<?>) operator).getOperatorStateBackend();
    }

    private static OperatorStreamStateHandle copy(
            OperatorStateBackend backend, CheckpointStorageWorkerView storage) throws Exception {
        RunnableFuture<SnapshotResult<OperatorStateHandle>> snapshot =
                backend.snapshot(
                        0,
                        System.currentTimeMillis(),
                        new TaskOwned(storage),
                        CheckpointOptions.forCheckpointWithDefaultLocation());
        snapshot.run();
        OperatorStateHandle whole = snapshot.get().getJobManagerOwnedSnapshot();
        if (whole == null) {
            return null;
        }
        Map<String, OperatorStateHandle.StateMetaInfo> broadcast =
                new HashMap<>(whole.getStateNameToPartitionOffsets());
        broadcast
                .values()
                .removeIf(
                        state -> state.getDistributionMode() != OperatorStateHandle.Mode.BROADCAST);
        return new OperatorStreamStateHandle(broadcast, whole.getDelegateStateHandle());
    }

    private record TaskOwned(CheckpointStorageWorkerView storage)
            implements CheckpointStreamFactory {

        @Override
        public CheckpointStateOutputStream createCheckpointStateOutputStream(
                CheckpointedStateScope scope) throws IOException {
            return storage.createTaskOwnedStateStream();
        }

        @Override
        public boolean canFastDuplicate(StreamStateHandle handle, CheckpointedStateScope scope) {
            return false;
        }

        @Override
        public List<StreamStateHandle> duplicate(
                List<StreamStateHandle> handles, CheckpointedStateScope scope) {
            throw new UnsupportedOperationException("operator state has nothing to duplicate");
        }
    }
}
